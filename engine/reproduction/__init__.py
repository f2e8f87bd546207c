"""What the desks of papers share: a paper, its figures and their rows, and how rows are written.

A system that has a paper keeps it in its own `paper/`: `printed` has the numbers as the paper prints them, `figures`
and `tables` measure them again, `bench` prepares the data and times. Its `PAPER` is found through the registry. It all
belongs to the engine because it runs solvers and counts; showing the rows is left to the command and the pages.
Read `paper`, then `report`.
"""
