"""What mcplint says of the protocol's reference servers is what they do."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import ClassVar

import pytest

from mcplint.api import lint
from mcplint.lifecycle.model import Server

from .harness import Ending, Outcome, Run
from .install import ENVIRONMENTS, Environment

pytestmark = pytest.mark.truth

PACKAGES = ENVIRONMENTS["official"].folder / "@modelcontextprotocol"
VERDICTS: dict[str, Ending] = {"stdin_eof": "close_pipes", "sigterm": "sigterm", "sigint": "sigint"}


@dataclass(frozen=True)
class OfficialCase:
    """One reference server, ended in one way, perhaps after calls of tools."""

    server: str
    verdict: str
    tools: tuple[str, ...] = ()

    environment: ClassVar[Environment] = ENVIRONMENTS["official"]

    @property
    def name(self) -> str:
        return f"{self.server}-{self.verdict}"

    def run(self, folder: Path) -> Run:
        """Start it as its package's command does; the folder is what it may read and write."""
        entry = PACKAGES / f"server-{self.server}" / "dist" / "index.js"
        command = [str(self.environment.program), str(entry), str(folder)]
        if self.server == "everything":
            command[-1] = "stdio"
        variables = {"MEMORY_FILE_PATH": str(folder / "memory.json")}
        ending = VERDICTS.get(self.verdict, "close_pipes")
        return Run(self.name, command, folder, ending, variables, tools=self.tools)


CASES = [
    *(
        OfficialCase(server, verdict)
        for server in ("everything", "filesystem", "memory", "sequential-thinking")
        for verdict in VERDICTS
    ),
    OfficialCase("everything", "stdin_eof_after_call", ("toggle-simulated-logging",)),
]


@cache
def judged(server: str) -> Server:
    """The server that mcplint finds in a package."""
    (found,) = lint([PACKAGES / f"server-{server}"]).servers
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_reference_server_does_what_mcplint_says(case: OfficialCase, outcome: Outcome) -> None:
    assert getattr(judged(case.server), case.verdict).verdict == outcome.verdict, outcome
