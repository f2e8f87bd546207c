"""The count of kernel evaluations: the one measure of work that does not depend on the computer."""

import threading
from typing import Any


class Counter:
    """Counts kernel evaluations; shared by every solver of one run."""

    def __init__(self) -> None:
        self.value = 0
        self._lock = threading.Lock()

    def add(self, evaluations: int) -> None:
        """Count some more."""
        with self._lock:
            self.value += evaluations

    def __reduce__(self) -> tuple[Any, ...]:
        # A lock cannot be copied, and a copy counts for itself.
        return Counter, ()
