"""Just enough Markdown for a rule page on a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import wrap

from mcplint.report.look import Look

_CODE = re.compile(r"`([^`]+)`")
_ITEM = re.compile(r"[-*] |\d+\. ")
_SPAN = re.compile(r"`[^`]+`|\*\*[^*]+\*\*")
_STRONG = re.compile(r"\*\*([^*]+)\*\*")
_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")
_WIDEST = 80


def render(text: str, look: Look) -> str:
    """Paragraphs and lists wrapped, code indented, inline code coloured."""
    return "\n".join(_lines(text.splitlines(), look, min(look.width, _WIDEST)))


def _lines(lines: list[str], look: Look, width: int) -> Iterator[str]:
    paragraph: list[str] = []
    fenced = False
    for line in lines:
        if line.startswith("```"):
            yield from _flush(paragraph, look, width)
            fenced = not fenced
            if fenced:
                yield from _caption(line, look)
        elif fenced:
            yield f"    {line}".rstrip()
        elif line.startswith("#"):
            yield from _flush(paragraph, look, width)
            yield look.paint(line.lstrip("# "), "bold")
        elif not line.strip() or line.startswith("|"):
            yield from _flush(paragraph, look, width)
            yield line
        else:
            if _ITEM.match(line):
                yield from _flush(paragraph, look, width)
            paragraph.append(line)
    yield from _flush(paragraph, look, width)


def _flush(paragraph: list[str], look: Look, width: int) -> Iterator[str]:
    if not paragraph:
        return
    text = " ".join(line.strip() for line in paragraph)
    paragraph.clear()
    text = _LINK.sub(r"\1", text)
    if not look.colour:
        text = _STRONG.sub(r"\1", text)
    item = _ITEM.match(text)
    hang = " " * len(item.group()) if item else ""
    # A no-break space keeps inline code on one line until it is wrapped.
    whole = _SPAN.sub(lambda span: span.group().replace(" ", "\N{NO-BREAK SPACE}"), text)
    for line in wrap(whole, width, subsequent_indent=hang, break_on_hyphens=False):
        yield _painted(line.replace("\N{NO-BREAK SPACE}", " "), look)


def _painted(line: str, look: Look) -> str:
    if not look.colour:
        return line
    line = _CODE.sub(lambda code: look.paint(code.group(1), "cyan"), line)
    return _STRONG.sub(lambda strong: look.paint(strong.group(1), "bold"), line)


def _caption(fence: str, look: Look) -> Iterator[str]:
    """What a code block shows: ``flagged: server.js``."""
    words = fence.strip("`").split()
    kinds = [word for word in words if word in ("flagged", "clean", "fixed")]
    files = [word.removeprefix("file=") for word in words if word.startswith("file=")]
    if kinds or files:
        caption = ": ".join([*kinds, *files])
        style = "red" if "flagged" in kinds else "green"
        yield f"  {look.paint(caption, style)}"
        yield ""
