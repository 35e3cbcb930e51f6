"""What all tests share."""

from __future__ import annotations

from hypothesis import settings

# A loaded machine is no fault of the code: no test is timed.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
