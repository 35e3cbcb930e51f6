"""Servers whose SDK is inside the program, renamed by a minifier; what only looks like one."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcplint.api import lint

from .programs import BEAT, cases, judge, node

SAYS = "StdioServerTransport already started!"
"""The text of the SDK by which a file is looked at; a minifier keeps it."""


def bundle(transport: str, start: str) -> str:
    """A program as a bundler leaves it: a transport class, a server class, and what starts them."""
    return (
        f"{transport}\n"
        "class b{async connect(t){this._t=t;t.onmessage=m=>this.got(m);await t.start()}"
        "got(m){this._t.send({jsonrpc:'2.0',id:m.id,result:{}})}"
        "async close(){await this._t.close()}}\n"
        f"{start}\n"
    )


def transport(
    start: str = "this._in.on('data',this._ondata)",
    head: str = "class a",
    methods: str = "send(m){this._out.write(JSON.stringify(m)+'\\n')}",
) -> str:
    """The transport of an SDK under another name."""
    return (
        f"{head}{{constructor(i=process.stdin,o=process.stdout){{this._in=i;this._out=o;"
        "this._ondata=c=>this.onmessage?.(JSON.parse(c))}"
        f"async start(){{if(this._s)throw new Error('{SAYS}');this._s=!0;{start}}}"
        "async close(){this._in.off('data',this._ondata);this._in.pause();this.onclose?.()}"
        f"{methods}}}"
    )


CONNECT = "new b().connect(new a());"

MINIFIED = {
    "held": (transport(), BEAT + CONNECT, "survives"),
    "not held": (transport(), CONNECT, "exits"),
    "ended": (transport(), BEAT + CONNECT + "process.stdin.on('end',()=>process.exit(0));", "exits"),
    "a class in a variable": (transport(head="var a=class"), BEAT + CONNECT, "survives"),
    "inherited": (
        transport(head="class p") + "\nclass a extends p{}",
        BEAT + CONNECT,
        "survives",
    ),
    "stdin through a variable": (
        "var s=process;" + transport().replace("process.stdin", "s.stdin"),
        BEAT + CONNECT,
        "survives",
    ),
    "its own start ends it": (
        transport("this._in.on('data',this._ondata);this._in.on('end',()=>process.exit(0))"),
        BEAT + CONNECT,
        "exits",
    ),
    "a start that nobody can be seen to call": (
        transport("this._in.on('data',this._ondata);this._in.on('end',()=>process.exit(0))"),
        BEAT + "globalThis.later(new a());",
        "exits",
    ),
    "an entry deep in a table of modules": (
        "",
        "(()=>{var m={7:(e,x,r)=>{"
        + bundle(transport(), BEAT + CONNECT)
        + "}};function r(i){var e={exports:{}};m[i](e,e.exports,r);return e.exports}r(7)})();",
        "survives",
    ),
}


@pytest.mark.parametrize(("made", "start", "verdict"), cases(MINIFIED))
def test_a_minified_sdk_is_found_by_its_shape(tmp_path: Path, made: str, start: str, verdict: str) -> None:
    text = bundle(made, start) if made else start
    assert judge(tmp_path, text).stdin_eof.verdict == verdict


NO_TRANSPORT = {
    "no send": transport(methods="").replace(SAYS, "twice"),
    "listens to a socket": transport().replace("process.stdin", "globalThis.sock").replace(SAYS, "twice"),
    "hears another event": transport("this._in.on('end',this._ondata)").replace(SAYS, "twice"),
    "listens outside of start": transport(
        "this.go()", methods="send(){}go(){this._in.on('data',()=>{})}"
    ).replace(SAYS, "twice"),
}


@pytest.mark.parametrize("made", cases(NO_TRANSPORT))
def test_a_class_of_another_shape_is_no_transport(tmp_path: Path, made: str) -> None:
    (tmp_path / "server.mjs").write_text(f"// {SAYS}\n" + bundle(made, BEAT + CONNECT))
    assert not lint([tmp_path]).servers


WRAPPERS = {
    "by a name of its own": (
        "var wrap=(fn,res)=>function init(){return fn&&(res=(0,fn[Object.getOwnPropertyNames(fn)[0]])(fn=0)),res};\n",
        '{ "src/BODY.ts"() { TEXT } }',
    ),
    "minified": ("var wrap=(f,r)=>()=>(f&&(r=f(f=0)),r);\n", "()=>{TEXT}"),
    "async": ("var wrap=(f,r)=>()=>(f&&(r=f(f=0)),r);\n", "async()=>{TEXT}"),
}
"""How bundlers wrap the body of a module that runs once, when it is first needed."""


def lazy(wrapper: str, body: str, first: str, second: str, start: str) -> str:
    """A program of two such modules: what each does, and what starts."""
    made = (
        f"var init_{n}=wrap({body.replace('TEXT', text)});\n" for n, text in (("a", first), ("b", second))
    )
    return wrapper + "".join(made) + node(after=start)


@pytest.mark.parametrize(("wrapper", "body"), cases(WRAPPERS))
def test_a_lazy_module_runs_when_it_is_needed(tmp_path: Path, wrapper: str, body: str) -> None:
    text = lazy(wrapper, body, "", "setInterval(()=>{},1000);", "init_b();")
    assert judge(tmp_path, text).stdin_eof.verdict == "survives"


@pytest.mark.parametrize(("wrapper", "body"), cases(WRAPPERS))
def test_a_lazy_module_that_nobody_needs_does_not_run(tmp_path: Path, wrapper: str, body: str) -> None:
    text = lazy(wrapper, body, "", "setInterval(()=>{},1000);", "init_a();")
    assert judge(tmp_path, text).stdin_eof.verdict == "exits"


@pytest.mark.parametrize(("wrapper", "body"), cases(WRAPPERS))
def test_lazy_modules_need_each_other(tmp_path: Path, wrapper: str, body: str) -> None:
    text = lazy(wrapper, body, "init_b();", "setInterval(()=>{},1000);", "init_a();")
    assert judge(tmp_path, text).stdin_eof.verdict == "survives"


def test_a_wrapper_that_may_not_call_is_no_lazy_module(tmp_path: Path) -> None:
    text = lazy(
        "var wrap=(f,r)=>()=>{if(globalThis.now)r=f();return r};\n",
        "()=>{TEXT}",
        "",
        "setInterval(()=>{},1000);",
        "init_b();",
    )
    assert judge(tmp_path, text).stdin_eof.verdict == "unknown"


SERVED = "const t=new a();const k=setInterval(()=>{},1000);new b().connect(t);"
LETS_GO = "t.onclose=()=>{clearInterval(k);process.exit(0)};"

CLOSED = {
    "an onclose that this transport never calls": (transport(), SERVED + LETS_GO, "survives"),
    "set before the server connects": (
        transport(),
        "const t=new a();const k=setInterval(()=>{},1000);" + LETS_GO + "new b().connect(t);",
        "survives",
    ),
    "the transport closes itself at the end": (
        transport("this._in.on('data',this._ondata);this._in.on('end',()=>this.close())"),
        SERVED + LETS_GO,
        "exits",
    ),
    "a listener closes the transport at the end": (
        transport(),
        SERVED + LETS_GO + "process.stdin.on('end',()=>t.close());",
        "exits",
    ),
    "the timer is cleared beside it, too": (
        transport(),
        SERVED + LETS_GO + "if(globalThis.done)clearInterval(k);",
        "unknown",
    ),
    "a listener that other code calls": (
        transport(),
        SERVED + "const stop=()=>clearInterval(k);t.onclose=stop;globalThis.done?.(stop);",
        "unknown",
    ),
}


@pytest.mark.parametrize(("made", "start", "verdict"), cases(CLOSED))
def test_the_onclose_of_a_renamed_transport_is_a_listener(
    tmp_path: Path, made: str, start: str, verdict: str
) -> None:
    assert judge(tmp_path, bundle(made, start)).stdin_eof.verdict == verdict


def test_an_sdk_that_wires_its_own_onclose_is_no_listener(tmp_path: Path) -> None:
    wired = bundle(transport(), BEAT + CONNECT).replace(
        "this._t=t;", "this._t=t;this._t.onclose=()=>{this.onclose?.()};"
    )
    assert not judge(tmp_path, wired).handlers
