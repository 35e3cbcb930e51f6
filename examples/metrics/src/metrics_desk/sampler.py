"""Samples the load average in the background."""

from __future__ import annotations

import os
import threading
import time
from collections import deque


class Sampler:
    """The load averages of the last hour, one every ten seconds."""

    def __init__(self) -> None:
        self.samples: deque[float] = deque(maxlen=360)
        self._thread = threading.Thread(target=self._run, name="sampler")

    def start(self) -> None:
        self._thread.start()

    def _run(self) -> None:
        while True:
            self.samples.append(os.getloadavg()[0])
            time.sleep(10)
