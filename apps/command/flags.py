"""Flags from a table of settings."""

import argparse
from typing import Any

from engine.learning.settings import Settings, accepted


def add_settings(parser: argparse.ArgumentParser, title: str, table: type[Settings]) -> None:
    """A flag for each setting, after all other flags: a setting named as one of them has --setting-NAME."""
    group = parser.add_argument_group(title)
    for name in table.names():
        parameter, flag = table.param[name], name.replace("_", "-")
        text = f"{parameter.doc} {accepted(parameter).capitalize()}; {parameter.default} if not given."
        how: dict[str, Any] = {"dest": f"setting_{name}", "metavar": "VALUE", "help": text.replace("%", "%%")}
        try:
            group.add_argument(f"--{flag}", **how)
        except argparse.ArgumentError:
            group.add_argument(f"--setting-{flag}", **how)


def read_settings(chosen: argparse.Namespace, table: type[Settings]) -> dict[str, Any]:
    """The values of the flags that were given."""
    given = {name: getattr(chosen, f"setting_{name}") for name in table.names()}
    return {name: table.parse(name, text) for name, text in given.items() if text is not None}
