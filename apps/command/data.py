"""TODO: what this is."""

import argparse

from engine import datasets


def _list_data(chosen: argparse.Namespace) -> int:
    for entry in datasets.catalogue().values():
        here = "" if entry.available() else "  (to be downloaded)" if entry.home else "  (not on this computer)"
        print(f"{entry.kind:<8} {entry.name:<20} {entry.size:>8,}  {entry.title}{here}")
    return 0
