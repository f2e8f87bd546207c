import subprocess
import sys
from dataclasses import replace

import pytest

from engine import SOLVERS, registry
from engine.learning.settings import Settings
from engine.learning.system import System
from engine.registry import BUILT_IN, folder_of, systems_of

KERNEL_SVM = SOLVERS["kernel-svm"]


class Entry:
    """An entry point of another package."""

    def __init__(self, name, load):
        self.name, self.value, self.load = name, f"package:{name}", load


@pytest.fixture
def systems(monkeypatch):
    """The registry as it is with these entry points."""

    def with_guests(**loads):
        entries = [Entry(name, load) for name, load in loads.items()]
        monkeypatch.setattr(registry, "entry_points", lambda group: entries)
        monkeypatch.setattr(registry, "SOLVERS", registry._Systems())
        return registry.SOLVERS

    return with_guests


def named(name, **more):
    return lambda: replace(KERNEL_SVM, name=name, paper="", **more)


def test_each_folder_has_a_system_of_its_own_name():
    for folder in BUILT_IN:
        names = [system.name for system in systems_of(folder)]
        assert folder.replace("_", "-") in names
        assert {folder_of(name) for name in names} == {folder}


def test_a_guests_name_may_begin_as_a_built_in_one_but_not_be_one(systems):
    found = systems(mine=named("dcsvm-mine"), theirs=named("dcsvm"), ridge=named("dcpred-ridge"))
    assert list(found)[-1] == "dcsvm-mine"
    assert folder_of("dcsvm-mine") is None
    assert found["dcsvm-mine"].name == "dcsvm-mine"
    reason = "the name belongs to a built-in system"
    assert found.problems == {"dcsvm": reason, "dcpred-ridge": reason}
    assert found["dcsvm"] is SOLVERS["dcsvm"]


def test_a_table_that_shared_code_cannot_use_is_a_problem_of_its_package(systems):
    class Bare(Settings):
        """Without what every system has."""

    found = systems(bare=named("bare", settings=Bare), fine=named("fine"))
    assert "bare" not in found
    assert "fine" in found
    assert found.problems.keys() == {"bare"}
    assert "must be a subclass of engine.learning.common_settings.SolverSettings" in found.problems["bare"]


@pytest.mark.parametrize("settings", [Settings, KERNEL_SVM.settings(), None])
def test_a_system_wants_the_class_of_a_solvers_settings(settings):
    with pytest.raises(TypeError, match="settings of the system 'mine' must be a subclass"):
        System("mine", "Mine", settings, KERNEL_SVM.train)


def test_a_guests_paper_that_cannot_be_loaded_leaves_the_others(systems):
    def guest():
        return replace(KERNEL_SVM, name="guest", paper="nowhere.at_all:PAPER")

    found = systems(guest=guest)
    assert len(registry.PAPERS) == len({system.paper for system in SOLVERS.built_in() if system.paper})
    assert "ModuleNotFoundError" in found.problems["nowhere.at_all:PAPER"]


def test_a_built_in_system_loads_its_folder_alone():
    code = "import sys; from engine import SOLVERS; SOLVERS['dcpred-ridge']; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    folders = {name.split(".")[2] for name in loaded if name.startswith("engine.systems.")}
    assert folders == {"dcpred", "kernel_svm"}
