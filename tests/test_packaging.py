"""What an import costs, the README's commands, and the installed package."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_importing_the_engine_needs_no_screen():
    code = "import sys, engine; print([m for m in ('panel', 'bokeh', 'holoviews', 'tkinter') if m in sys.modules])"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert output.stdout.strip() == "[]"


def test_ci_calls_the_readmes_test_command():
    command = re.search(r"^(python3 -m venv .* && \S+ -m tests)$", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert command
    assert command.group(1) in (ROOT / ".ci/run").read_text()


def test_the_installed_package_works_outside_the_checkout(tmp_path):
    site, elsewhere = tmp_path / "site", tmp_path / "elsewhere"
    elsewhere.mkdir()
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(site), str(ROOT)]
    subprocess.run(pip, check=True, capture_output=True)
    code = (
        "import engine, engine.datasets as d, sys; from apps.command import main;"
        f"assert engine.__file__.startswith({str(site)!r}), engine.__file__;"
        "names = [e.name for e in d.catalogue().values() if e.kind == 'sample']; assert names;"
        "[d.load(name) for name in names];"
        "sys.exit(main(['run', 'kernel-svm', '--data', names[0], '--quiet', '--out', 'r.svmrun']))"
    )
    environment = {**os.environ, "PYTHONPATH": str(site)}
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=elsewhere, env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert (elsewhere / "r.svmrun").exists()


def test_a_server_starts_without_what_takes_long_to_import():
    slow = ["sklearn", "scipy.linalg", "scipy.sparse", "scipy.spatial"]
    code = (
        "import sys, apps.command, explorer.pages.home, explorer.registry as r; r.presentations(); print(*sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not set(slow) & set(found.stdout.split())
