"""What must hold of the tree: which room imports which, how large rooms and modules are, and the way of the data.

A room is a folder, or a module right below a top folder. Shared rooms know no system; a system is a folder of
`engine/systems` and its counterpart in `explorer/systems`.
"""

import ast
import re
from collections import defaultdict
from dataclasses import fields
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from engine.registry import BUILT_IN, SOLVERS
from explorer.registry import presentations
from explorer.replay.frame import Frame

ROOT = Path(__file__).parents[1]
LAYERS = ("engine", "explorer", "apps")
# Shared rooms: each imports only those before it.
ORDER = {
    "engine": ("registry", "runtime", "numerics", "optimisation", "datasets", "learning", "reproduction"),
    "explorer": ("registry", "sketch", "style", "server", "replay", "figures", "share", "stage", "pages"),
}
# What a system may import of another one; "system.folder" declares it for one folder alone.
BUILDS_ON = {
    "dcsvm": {"kernel_svm"},
    "clustersvm": {"kernel_svm"},
    "dcpred": {"kernel_svm"},
    "interior_point": {"kernel_svm"},
    "budgeted_sgd": {"kernel_svm"},
    "kernel_svm": set(),
}
MOST_MODULES, MOST_LINES = 14, 400


def name_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


PATHS = {name_of(path): path for layer in LAYERS for path in sorted((ROOT / layer).rglob("*.py"))}
PACKAGES = {name for name, path in PATHS.items() if path.name == "__init__.py"}
NAMES = {name for system in SOLVERS.built_in() for name in (system.name, system.name.replace("-", "_"))} | {*BUILT_IN}


@cache
def imports(name):
    """What a module imports: names of modules of ours, and whether only types are meant."""
    tree = ast.parse(PATHS[name].read_text())
    typed = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for inner in ast.walk(node)
    }
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(item.name, id(node) in typed) for item in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} has a relative import"
            for item in node.names:
                whole = f"{node.module}.{item.name}"
                found.append((whole if whole in PATHS else node.module, id(node) in typed))
    return found


def ours(name):
    return [(used, typed) for used, typed in imports(name) if used in PATHS and used != name]


def system_of(name):
    parts = name.split(".")
    return parts[2] if parts[1:2] == ["systems"] and len(parts) > 2 else None


def room_of(name):
    """The folder of a module, or its system; a facade (`__init__`) belongs to no room."""
    if name in PACKAGES:
        return None
    if system_of(name):
        return ".".join(name.split(".")[:3])
    folder = name.rpartition(".")[0]
    return name if folder in LAYERS else folder


@pytest.mark.parametrize("name", PATHS)
def test_imports_go_one_way(name):
    layer = LAYERS.index(name.split(".")[0])
    for used, _ in imports(name):
        top = used.split(".")[0]
        assert top not in LAYERS[layer + 1 :], f"{name} imports {used}"
        assert top not in ("pickle", "joblib", "dill", "marshal", "shelve")
        if layer == 0:
            assert top not in ("panel", "bokeh", "holoviews")


def test_shared_rooms_import_no_system():
    wrong = [
        f"{name} imports {used}"
        for name in PATHS
        if system_of(name) is None and name not in PACKAGES and not name.startswith("apps")
        for used, _ in ours(name)
        if system_of(used) is not None
    ]
    assert not wrong


def test_shared_rooms_name_no_system():
    """The registries find systems by name, so that a name in a string would be an import in disguise."""
    wrong = [
        f"{name} says {node.value!r}"
        for name, path in PATHS.items()
        if system_of(name) is None and path.parent != ROOT / "apps" and name != "engine.registry"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and node.value in NAMES
    ]
    assert not wrong


def test_the_facade_of_the_engine_names_systems_for_type_checkers_alone():
    assert all(typed for used, typed in ours("engine") if system_of(used))


def test_systems_import_one_another_only_as_declared():
    wrong = []
    for name in PATHS:
        mine = system_of(name)
        rest = ".".join(name.split(".")[2:-1])
        allowed = BUILDS_ON.get(mine, set()) | BUILDS_ON.get(rest, set())
        if name.startswith("explorer") and mine != "kernel_svm":
            allowed = {"kernel_svm"}  # stories and curves of the dual problem
        for used, _ in ours(name):
            theirs = system_of(used)
            if mine and theirs and theirs not in allowed | {mine}:
                wrong.append(f"{name} imports {used}")
    assert not wrong


def test_shared_rooms_import_only_those_before_them():
    wrong = []
    for name in PATHS:
        layer, _, rest = name.partition(".")
        order = ORDER.get(layer, ())
        for used, typed in ours(name):
            theirs = used.partition(".")[2]
            mine = [k for k, room in enumerate(order) if rest == room or rest.startswith(f"{room}.")]
            other = [k for k, room in enumerate(order) if theirs == room or theirs.startswith(f"{room}.")]
            if not typed and used.startswith(f"{layer}.") and mine and other and mine[0] < other[0]:
                wrong.append(f"{name} imports {used}")
    assert not wrong


def test_there_are_no_cycles():
    modules, rooms = defaultdict(set), defaultdict(set)
    for name in PATHS:
        for used, typed in ours(name):
            if typed or name in PACKAGES or used in PACKAGES:
                continue
            modules[name].add(used)
            if room_of(name) != room_of(used):
                rooms[room_of(name)].add(room_of(used))
    for graph in (modules, rooms):
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as cycle:
            pytest.fail(" <- ".join(cycle.args[1]))


def test_rooms_are_small():
    """No folder of more than 14 modules; its `__init__` does not count."""
    count = defaultdict(int)
    for path in [*PATHS.values(), *sorted((ROOT / "tests").rglob("*.py"))]:
        count[path.parent] += not path.name.startswith("__")
    assert not {folder: number for folder, number in count.items() if number > MOST_MODULES}


def test_modules_are_short():
    long = {}
    for path in [*PATHS.values(), *sorted((ROOT / "tests").rglob("*.py"))]:
        if (lines := len(path.read_text().splitlines())) > MOST_LINES:
            long[str(path.relative_to(ROOT))] = lines
    assert not long


def test_every_room_says_what_it_is():
    for name in PACKAGES - {"apps"}:
        text = ast.get_docstring(ast.parse(PATHS[name].read_text())) or ""
        assert len(text.splitlines()) >= 3, f"{name} says too little of what it is and in which order to read it"


def test_the_shared_frame_has_no_field_of_one_system():
    assert {item.name for item in fields(Frame)} == {
        "event", "task", "members", "signs", "upper", "alpha", "gradient", "active", "intercept", "working_set"
    }  # fmt: skip


def test_a_system_is_one_folder_in_each_package():
    for layer in ("engine", "explorer"):
        folders = {path.name for path in (ROOT / layer / "systems").iterdir() if (path / "__init__.py").exists()}
        assert folders == set(BUILT_IN)
    assert list(presentations()) == list(SOLVERS)


def test_the_datas_way_through_the_house_goes_one_way():
    """Each step of the way of a run, as CONTRIBUTING tells it, imports nothing of a later one."""
    text = (ROOT / ".github/CONTRIBUTING.md").read_text()
    table = text[text.index("| step |") :].split("\n\n")[0]
    steps = []
    for row in table.splitlines()[2:]:
        found = re.findall(r"`((?:engine|explorer|apps)[\w/<>]*(?:\.py)?)`", row.split("|")[2])
        assert found, row
        steps.append([path.removesuffix(".py").replace("/", ".") for path in found])
    assert len(steps) >= 9
    for k, step in enumerate(steps):
        later = [name for other in steps[k + 1 :] for name in other]
        for pattern in step:
            for name in filter(lambda name: matches(name, pattern), PATHS):
                back = [used for used, typed in ours(name) for late in later if matches(used, late) and not typed]
                assert not back, f"{name}, a step of the data's way, reaches on to {back}"


def matches(name, pattern):
    """Whether a module is meant by a path such as engine.systems.<system>.events."""
    expression = re.escape(pattern).replace("<system>", r"\w+")
    return re.fullmatch(expression + r"(\.\w+)*", name) is not None


def test_no_kernel_is_numba_parallel():
    for path in PATHS.values():
        assert not re.search(r"parallel\s*=\s*True|prange", path.read_text()), path
