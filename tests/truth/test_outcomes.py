"""What is said of handlers' outcomes is what real processes do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.lifecycle.programs import BEAT, node
from tests.lifecycle.test_outcomes import BRANCHES, GUARDS, HEAD, TRIES, WAITS

from .cases import link_packages
from .harness import Outcome, Run
from .install import ENVIRONMENTS, Environment

NETWORK = "globalThis.fetch = () => new Promise((resolve) => setTimeout(() => resolve({}), 20));\n"
"""What the handlers ask for is there and answers."""


@dataclass(frozen=True)
class OutcomeCase:
    """A server whose ``stop`` the end of stdin and SIGTERM call."""

    name: str
    kind: str
    body: str
    verdict: str

    @property
    def environment(self) -> Environment:
        """What it runs on."""
        return ENVIRONMENTS["v1"]

    def run(self, folder: Path) -> Run:
        """Write the server into ``folder``, ready to start."""
        hooks = 'process.stdin.on("end", () => stop());\nprocess.on("SIGTERM", () => stop());'
        text = node(f"{BEAT}{HEAD}{self.kind} stop() {{ {self.body} }}\n{hooks}")
        (folder / "server.mjs").write_text(text, "utf-8")
        (folder / "network.mjs").write_text(NETWORK, "utf-8")
        link_packages(self.environment, folder)
        command = [str(self.environment.program), "--import", "./network.mjs", "server.mjs"]
        return Run(self.name, command, folder, "close_pipes", escalate=True)


def outcome_cases() -> Iterator[OutcomeCase]:
    """Every body whose outcome does not depend on what nobody can know."""
    for table, kinds in (
        (BRANCHES, ("function",)),
        (TRIES, ("function",)),
        (WAITS, ("async function",)),
        (GUARDS, ("function", "async function")),
    ):
        for name, (body, verdict) in table.items():
            for kind in kinds:
                if verdict != "unknown":
                    yield OutcomeCase(f"{name}-{kind}".replace(" ", "-"), kind, body, verdict)


@pytest.mark.truth
@pytest.mark.parametrize("case", list(outcome_cases()), ids=lambda case: case.name)
def test_ends_as_predicted(case: OutcomeCase, outcome: Outcome) -> None:
    assert outcome.verdict == case.verdict, outcome
    assert outcome.sigterm in (None, case.verdict), outcome
