"""`python -m tests`: everything that must hold, in one command: lint, format, types, tests."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
CHECKS = [
    ["ruff", "check", "."],
    ["ruff", "format", "--check", "."],
    ["mypy"],
    ["pytest", "-n", "2", "--dist", "loadfile", *sys.argv[1:]],
]

for check in CHECKS:
    print("$ python -m", *check, flush=True)
    status = subprocess.run([sys.executable, "-m", *check], cwd=ROOT, check=False).returncode
    if status:
        sys.exit(status)
