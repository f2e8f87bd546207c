"""`svm-explorer data`: list the data sets that have a name, and whether each is on this computer."""

import argparse

from engine import datasets


def list_data(chosen: argparse.Namespace) -> int:
    """Print one line per data set of the catalogue."""
    for entry in datasets.catalogue().values():
        here = "" if entry.available() else "  (to be downloaded)" if entry.home else "  (not on this computer)"
        print(f"{entry.kind:<8} {entry.name:<20} {entry.size:>8,}  {entry.title}{here}")
    return 0
