"""What the desks of all papers share: a paper, its figures and their rows, and how rows are measured and written.

A system that has a paper keeps it in its own `paper/`: `printed` has the numbers as the paper prints them, `bench`
prepares data and methods, `figures` and `tables` measure again. Its `PAPER` is found through the registry. It all
belongs to the engine because it runs solvers and counts; showing the rows is left to the command and the pages.
Read `paper` (Paper, Figure, Row), `bench` (what the benches share), `report` (rows as text, CSV and JSON).
"""
