"""`svm-explorer paper NAME`: the figures and tables of a paper, measured here, next to the published numbers."""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from tqdm import tqdm

from engine.registry import PAPERS
from engine.reproduction.paper import FULL, QUICK, Effort, Figure, Paper, Row
from engine.reproduction.report import as_json, as_text, write_csv
from engine.runtime.errors import invalid


def add_papers(papers: argparse.ArgumentParser) -> None:
    """An action for each paper."""
    names = papers.add_subparsers(required=True, metavar="PAPER")
    for name, paper in PAPERS.items():
        listed = "\n".join(f"  {figure.name:<10}{figure.title}" for figure in paper.figures)
        parser = names.add_parser(
            name, help=paper.title, description=paper.title, epilog=f"names:\n{listed}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )  # fmt: skip
        parser.add_argument("figures", nargs="*", metavar="NAME", help="figures and tables; all if not given")
        parser.add_argument("--quick", action="store_true", help="on few rows, to see that it works")
        parser.add_argument("--seed", type=int, default=0, metavar="N", help="of rows, splits and solvers")
        parser.add_argument("--out", type=Path, metavar="FOLDER", help="keep rows here, as CSV and lines of JSON")
        parser.set_defaults(action=_measure, paper=paper)


def _measure(chosen: argparse.Namespace) -> int:
    paper: Paper = chosen.paper
    figures = {figure.name: figure for figure in paper.figures}
    for name in chosen.figures:
        if name not in figures:
            raise invalid("NAME", name, f"one of {', '.join(figures)}")
    if not 0 <= chosen.seed < 2**32:
        raise invalid("--seed", chosen.seed, f"a whole number from 0 to {2**32 - 1}")
    if chosen.out is not None:
        chosen.out.mkdir(parents=True, exist_ok=True)
    effort = replace(QUICK if chosen.quick else FULL, seed=chosen.seed)
    print(f"{paper.title}\n{paper.note}")
    whole = [_measure_figure(figures[name], effort, chosen.out) for name in chosen.figures or figures]
    return 0 if all(whole) else 1


def _measure_figure(figure: Figure, effort: Effort, folder: Path | None) -> bool:
    """Show and keep the rows of a figure, also those of one that is interrupted; returns whether none is missing."""
    rows: list[Row] = []
    complaints: list[str] = []
    lines = None if folder is None else (folder / f"{figure.name}.jsonl").open("w")
    try:
        for row in tqdm(figure.rows(effort, complaints.append), desc=figure.name, unit=" rows", leave=False):
            rows.append(row)
            if lines is not None:
                print(as_json(figure.name, row), file=lines, flush=True)
    finally:
        if lines is not None and folder is not None:
            lines.close()
            write_csv(folder / f"{figure.name}.csv", rows)
        print(f"\n{figure.title}\n{figure.note}\n\n{as_text(rows)}", flush=True)
    for complaint in complaints:
        print(f"svm-explorer: {complaint}", file=sys.stderr)
    return not complaints
