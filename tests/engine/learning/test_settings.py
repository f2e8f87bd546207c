import pytest

from engine import SOLVERS
from engine.learning.common_settings import Diagnostics, SolverSettings
from engine.learning.settings import accepted
from engine.systems.kernel_svm.settings import KernelSVMSettings


def test_texts_become_values():
    parse = KernelSVMSettings.parse
    assert parse("C", "32") == 32.0
    assert parse("gamma", "scale") == "scale"
    assert parse("gamma", "0.5") == 0.5
    assert parse("bias", "no") is False
    assert parse("degree", "4") == 4
    assert parse("n_jobs", "none") is None
    assert parse("kernel", "poly") == "poly"


@pytest.mark.parametrize(("name", "text"), [("C", "lots"), ("degree", "2.5"), ("bias", "maybe"), ("gamma", "wide")])
def test_texts_that_mean_nothing_are_named(name, text):
    with pytest.raises(ValueError, match=f"{name} must be .*; got '{text}'"):
        KernelSVMSettings.parse(name, text)


def test_unknown_settings_are_named():
    with pytest.raises(ValueError, match=r"setting must be one of .*C.*; got 'cc'"):
        KernelSVMSettings.checked({"cc": 1})


def test_a_table_knows_its_values():
    settings = KernelSVMSettings.checked({"C": 3, "gamma": 0.5})
    values = settings.values_by_name()
    assert values["C"] == 3
    assert list(values) == KernelSVMSettings.names()
    assert KernelSVMSettings.checked(values).values_by_name() == values


def test_every_setting_says_what_it_accepts():
    for name in KernelSVMSettings.names():
        parameter = KernelSVMSettings.param[name]
        assert parameter.doc
        assert accepted(parameter)


def test_a_table_without_a_setting_that_shared_code_reads_has_its_default():
    table = SolverSettings.checked({})
    assert table.names() == []
    read = ("C", "kernel", "gamma", "degree", "coef0", "tol", "multiclass", "class_weight", "n_jobs")
    assert {name for name in read if not hasattr(table, name)} == set()
    assert table.gamma == "scale"


@pytest.mark.parametrize("name", SOLVERS)
def test_what_only_an_observer_needs_is_a_kind_of_setting(name):
    table = SOLVERS[name].settings
    found = [setting for setting in table.names() if isinstance(table.param[setting], Diagnostics)]
    assert found == ["instruments"] * ("instruments" in table.names())
