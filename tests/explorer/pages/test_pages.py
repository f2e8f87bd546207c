"""The pages as the registry makes them: built-in systems, those of other packages, those that could not be loaded."""

import pytest

from engine import SOLVERS
from explorer.pages import home, shell, system_page
from explorer.registry import presentations
from explorer.server.pool import SERVER


def texts(page):
    """All words of a page, as HTML, and where its buttons lead."""
    found = [part.object for part in page.select(lambda part: hasattr(part, "object")) if isinstance(part.object, str)]
    return " ".join([*found, *(part.href for part in page.select(lambda part: getattr(part, "href", None)))])


@pytest.fixture
def address(monkeypatch):
    """A function that sets what the address bar says."""

    def say(search):
        monkeypatch.setattr(system_page, "_search", lambda: search)

    return say


def test_the_home_page_leads_to_every_system():
    words = texts(home.home_page())
    for name, shown in presentations().items():
        assert SOLVERS[name].title in words
        assert shown.summary in words
        assert f"./{name}" in words
    assert words.count("data:image/png") == len(SOLVERS)
    assert "Not loaded" not in words


def test_packages_that_failed_are_named_with_the_reason(monkeypatch):
    monkeypatch.setattr(home, "problems", lambda: {"broken": "ImportError: no <b>"})
    assert "Not loaded: broken (ImportError: no &lt;b&gt;)" in texts(home.home_page())


def test_a_system_of_another_package_has_a_page_of_its_name_where_the_server_has_it(monkeypatch):
    assert shell.address_of("perceptron") == "./system?solver=perceptron"
    monkeypatch.setattr(SERVER, "pages", frozenset({"perceptron"}))
    assert shell.address_of("perceptron") == "./perceptron"
    assert shell.address_of(next(iter(SOLVERS))) == f"./{next(iter(SOLVERS))}"


@pytest.mark.parametrize("name", SOLVERS)
def test_the_generic_page_shows_the_system_that_its_address_names(address, monkeypatch, name):
    shown = []
    monkeypatch.setattr(system_page, "_live", lambda stage, search: shown.append((stage, search)))
    address(f"?solver={name}&C=7&kernel=rbf")
    system_page.any_stage_page()
    ((stage, search),) = shown
    assert stage.solver.name == name
    assert search == "?C=7&kernel=rbf"
    assert stage.query().startswith(f"solver={name}&")


@pytest.mark.parametrize("search", ["", "?solver=", "?solver=<img>", "?C=3"])
def test_a_generic_address_without_a_system_says_which_there_are(address, search):
    address(search)
    words = texts(system_page.any_stage_page())
    assert "solver must be one of kernel-svm, " in words
    assert "<img>" not in words
