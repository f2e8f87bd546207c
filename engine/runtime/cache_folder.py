"""Where downloads and computed tables are kept: a folder of the user, or the one that a variable names."""

import os
import sys
from pathlib import Path

CACHE_VARIABLE = "SVM_EXPLORER_CACHE"


def cache_folder() -> Path:
    """Return the folder for downloads: the variable's, else where the platform keeps such things."""
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "svm-explorer"
