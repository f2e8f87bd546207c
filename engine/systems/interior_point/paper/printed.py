"""What the incremental interior-point paper says of its figure and tables (Wu, Chang, Chen and Hughes, 2006).

Quoted are the numbers of its text: of Tables 5 and 6 these are means over five sets that it does not name there.
Accuracies are percent, losses of accuracy points of a percent.
"""

ROWS = {  # Table 4; of cb10, whose name says 10 K, the text says 1 K
    "cb10": 1_000,
    "cb100": 100_000,
    "cb400": 400_000,
    "cb1000": 1_000_000,
    "w6a": 17_000,
    "ijcnn": 127_000,
    "covertype": 570_000,
}

ENOUGH = {"cb100": 0.4, "ijcnn": 0.3}
"""Figure 1: columns, in percent of n, from which on "the test accuracy almost remains unchanged"."""

BELOW = {"IPM-ICF": 1.7, "IPM-KF": 4.0}
"""Table 5: mean loss of test accuracy against SVMLight."""

SPEED_UP = {"IPM-ICF": 8, "IPM-KF": 11, "ICF+SVMLight": 2}
"""Table 6: mean speed-up over SVMLight."""

TWO_THREADS = "1.7 to 1.8"
"""Table 6: speed-up by a second thread, of ICF+ICF and of KF+ICF."""

SECONDS = {  # Section 1 and 4.3: six days, 12.5 hours, 2.5 hours
    ("cb1000", "SVMLight", 1): 6 * 86_400,
    ("cb1000", "ICF+ICF", 2): 45_000,
    ("covertype", "ICF+ICF", 2): 9_000,
}
