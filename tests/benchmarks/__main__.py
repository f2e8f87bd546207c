"""`python -m tests.benchmarks NAME`: run one benchmark; a JSON line for each figure."""

import argparse
import importlib
import pkgutil

import tests.benchmarks as package

names = sorted(module.name for module in pkgutil.iter_modules(package.__path__) if not module.name.startswith("_"))
parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
parser.add_argument("name", choices=names)
parser.add_argument("arguments", nargs=argparse.REMAINDER, help="for the benchmark itself")
chosen = parser.parse_args()
importlib.import_module(f"tests.benchmarks.{chosen.name}").main(chosen.arguments)
