"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from tests.integrations import environments

# A loaded machine is no fault of the code: no test is timed.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built once for all processes of a run."""
    folder = environments.once(shared(tmp_path_factory) / "wheel", environments.build_wheel)
    (path,) = folder.glob("*.whl")
    return path


def shared(factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of a run have in common."""
    own = factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
