"""Incremental Approximate Matrix Factorization for Speeding up SVMs (Wu, Chang, Chen, Hughes, 2006), again.

In: the data sets by name. Out: rows with our numbers beside the printed ones. `printed` has the numbers of the paper,
`bench` prepares data and methods, `tables` and `figures` measure; this module lists what can be measured.
"""

from functools import partial

from engine.reproduction.paper import Figure, Paper
from engine.systems.interior_point.paper.bench import Case
from engine.systems.interior_point.paper.figures import accuracy_by_rank
from engine.systems.interior_point.paper.tables import (
    decomposition_or_factorisation,
    mean_losses,
    mean_speed_ups,
    speed_ups,
)

BOARD = Case("checkerboard", "cb100", gamma=2, rows=100_000)
IJCNN = Case("ijcnn1", "ijcnn", gamma=0.5)
CASES = (
    Case("checkerboard", "cb10", gamma=2, rows=10_000),
    BOARD,
    Case("checkerboard", "cb400", gamma=2, rows=400_000, share=0.001, with_svc=False),
    Case("w6a", "w6a", gamma=2**-7),
    IJCNN,
    Case("covtype", "covertype", gamma=8, rows=20_000),
)

FIGURES = (
    Figure(
        "figure1",
        "Figure 1: accuracy of incomplete Cholesky against its number of columns",
        "On one thread. The paper shows curves without numbers, and says in words from which rank on the accuracy "
        "almost stays as it is.",
        (partial(accuracy_by_rank, BOARD), partial(accuracy_by_rank, IJCNN)),
    ),
    Figure(
        "table5",
        "Table 5: seconds and accuracy of decomposition and of factorisation",
        "On one thread. SVC and our dual solver stand for SVMLight; what a factorisation loses is counted from the "
        "latter. The last rows are means over all sets here, beside the paper's over its own five.",
        (*(partial(decomposition_or_factorisation, case) for case in CASES), partial(mean_losses, CASES)),
    ),
    Figure(
        "table6",
        "Table 6: speed-ups of the schemes over decomposition; two threads against one",
        "On one thread but for the rows that say two. The runs are those of Table 5. The coarse factor has half of the "
        "columns of the fine one, and at most 20 iterations; decomposition goes on from the fine one.",
        (*(partial(speed_ups, case) for case in CASES), partial(mean_speed_ups, CASES)),
    ),
)

PAPER = Paper(
    "ipm",
    "Incremental interior point (Wu, Chang, Chen and Hughes, 2006)",
    "Columns with (ours) were measured here and now, those with (paper) are quoted; accuracies, and what is lost of "
    "them, are percent. Of the paper's numbers only those are here that its text has: means over five sets. C = 100 "
    "and at most 50 iterations are the paper's; gamma, which it chose to be best for SVMLight and does not tell, was "
    "chosen on training rows alone: the smallest with which our dual solver is, within a standard error, as good as "
    "with the best. p is 0.5 % of n, as there, or 0.1 % for 400,000 points. ijcnn1 has LIBSVM's training rows, fewer "
    "than the paper's, covtype some of its rows.",
    FIGURES,
)
