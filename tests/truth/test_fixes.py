"""What mcplint fixed really ends: when stdin closes, when the client is killed, and at SIGTERM."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.fixes.fixed import Served, fixed_files, served

from .cases import link_packages
from .harness import Ending, Outcome, Run
from .install import ENVIRONMENTS, Environment

pytestmark = pytest.mark.truth

NOT_FIXED = {"bundle/minified"}
"""What is served by no fix after all: nobody edits a bundle."""


@dataclass(frozen=True)
class FixedCase:
    """A fixed fixture on one SDK, ended in one way."""

    served: Served
    sdk: str
    ending: Ending

    @property
    def name(self) -> str:
        """The test's name."""
        return f"{self.served.label}-{self.sdk}-{self.ending}"

    @property
    def environment(self) -> Environment:
        """What it runs on."""
        return ENVIRONMENTS[self.sdk]

    def run(self, folder: Path) -> Run:
        """Copy the fixed program into ``folder``, ready to start."""
        shutil.copytree(self.served.folder, folder, dirs_exist_ok=True)
        for name, data in fixed_files(self.served.folder).items():
            (folder / name).write_bytes(data)
        link_packages(self.environment, folder)
        entry = self.served.expect["entry"]
        loader = ["--import", "tsx"] if entry.endswith(".ts") else []
        return Run(self.name, [str(self.environment.program), *loader, entry], folder, self.ending)


def fixed_cases() -> Iterator[FixedCase]:
    """Every fixed fixture on every SDK that it names; closed pipes once a rule, as a dead client closes them."""
    closed: set[str] = set()
    for one in served():
        if one.label in NOT_FIXED:
            continue
        sdks = one.expect["sdk"]
        yield from (FixedCase(one, sdk, "client_death") for sdk in sdks)
        yield FixedCase(one, sdks[0], "sigterm")
        if not one.codes <= closed:
            closed |= one.codes
            yield from (FixedCase(one, sdk, "close_pipes") for sdk in sdks)


@pytest.mark.parametrize("case", list(fixed_cases()), ids=lambda case: case.name)
def test_what_was_fixed_ends(case: FixedCase, outcome: Outcome) -> None:
    assert outcome.verdict == "exits", outcome
