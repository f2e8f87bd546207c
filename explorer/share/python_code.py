"""A run as Python code: the same data, solver and settings with the engine alone."""

from collections.abc import Mapping
from typing import Any

from engine import SOLVERS
from explorer.sketch import Sketch


def snippet(solver: str, source: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """Python that does the same run with the engine alone."""
    table = SOLVERS[solver].settings
    changed = {name: value for name, value in settings.items() if value != table.param[name].default}
    inner = ", ".join(f"{name!r}: {value!r}" for name, value in changed.items())
    start = "from engine import SOLVERS, datasets\n\n"
    if "points" in source:
        drawn = Sketch.read(source["points"]).dataset()
        start = "import numpy as np\n\nfrom engine import SOLVERS\n\n"
        load = f"X = np.array({drawn.X.tolist()})\ny = np.array({drawn.y.tolist()})\n"
    elif "file" in source:
        load = f"data = datasets.read({source['file']!r}, label_column={source.get('label_column')!r})\n"
        load += "X, y = data.X, data.y\n"
    elif "name" in source:
        rest = "".join(f", {key}={value!r}" for key, value in source.items() if key != "name")
        load = f"data = datasets.load({source['name']!r}{rest})\nX, y = data.X, data.y\n"
    else:
        load = "X, y = ...  # your data\n"
        start = "from engine import SOLVERS\n\n"
    return (
        f"{start}{load}"
        f"solver = SOLVERS[{solver!r}]\n"
        f"settings = solver.settings.checked({{{inner}}})\n"
        "run = solver.recorded_run(X, y, settings)\n"
        "for event in run:\n"
        "    print(event.stamp.sequence, type(event).__name__)\n"
        "model = run.result().model\n"
    )
