"""Shared code that measures the papers' figures and tables again.

In: a system, a data set and the numbers that a paper prints. Out: rows with our numbers beside the paper's.

A system that has a paper keeps it in its own `paper/`: `printed` has the numbers as the paper prints them, `bench`
prepares data and methods, `figures` and `tables` measure again. Its `PAPER` is found through the registry.
The command and the pages show the rows.
Read `paper` (Paper, Figure, Row), `bench` (what the benches share), `report` (rows as text, CSV and JSON).
"""
