"""`python -m tests`: everything that must hold, in one command: lint, format, types, tests."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
CHECKS = [
    ["ruff", "check", "."],
    ["ruff", "format", "--check", "."],
    ["mypy"],
    ["pytest", "-n", "2", "--dist", "loadfile", "--no-loadscope-reorder", *sys.argv[1:]],
]


def install_chromium() -> None:
    """The browser tests drive Debian's Chromium; where that can be installed without asking, it is."""
    if shutil.which("chromium") or shutil.which("google-chrome") or not shutil.which("apt-get"):
        return
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        for command in (["update", "-qq"], ["install", "-y", "-qq", "chromium"]):
            subprocess.run(["apt-get", *command], check=True, stdout=subprocess.DEVNULL)


install_chromium()
for check in CHECKS:
    print("$ python -m", *check, flush=True)
    status = subprocess.run([sys.executable, "-m", *check], cwd=ROOT, check=False).returncode
    if status:
        sys.exit(status)
