"""What the Budgeted SGD paper printed (Glasmachers and Qaadan, 2018). Accuracies, savings and frequencies are percent.

Figures 2 and 3 are pictures without numbers; of Figure 3 the text says only what is quoted here.
"""

TABLE_1 = {  # training rows, features, accuracy of LIBSVM's model
    "SUSY": (4_500_000, 18, 79.79),
    "SKIN": (183_793, 3, 99.96),
    "IJCNN": (49_990, 22, 98.77),
    "ADULT": (32_561, 123, 84.82),
    "WEB": (17_188, 300, 98.81),
    "PHISHING": (8_315, 68, 97.55),
}

METHODS = {"gss-precise": "GSS-precise", "gss": "GSS", "lookup-h": "Lookup-h", "lookup-wd": "Lookup-WD"}
"""Our names of the ways of merging, and the paper's, in the order of Table 2."""

TABLE_2 = {  # budget -> mean and deviation of the accuracy of each of METHODS, over five runs
    "SUSY": {
        100: ((76.975, 1.372), (76.628, 2.030), (76.934, 1.426), (76.884, 1.261)),
        500: ((76.989, 3.109), (75.583, 3.0558), (75.581, 2.558), (75.570, 3.925)),
    },
    "SKIN": {
        100: ((99.621, 0.711), (99.629, 0.852), (99.621, 0.201), (99.617, 0.877)),
        200: ((99.868, 0.033), (99.877, 0.053), (99.855, 0.054), (99.754, 0.089)),
    },
    "IJCNN": {
        100: ((97.141, 0.317), (96.807, 0.344), (97.132, 0.371), (97.130, 0.363)),
        500: ((98.138, 0.158), (98.055, 0.334), (98.113, 0.448), (98.070, 0.372)),
    },
    "ADULT": {
        100: ((84.234, 0.883), (84.166, 0.701), (84.164, 0.988), (84.200, 0.798)),
        500: ((84.280, 0.800), (83.739, 1.303), (83.836, 1.157), (83.949, 1.001)),
    },
    "WEB": {
        100: ((98.805, 0.026), (98.793, 0.027), (98.783, 0.045), (98.793, 0.039)),
        500: ((98.809, 0.023), (98.781, 0.047), (98.799, 0.029), (98.807, 0.016)),
    },
    "PHISHING": {
        100: ((96.554, 0.158), (96.254, 0.301), (96.539, 0.242), (96.389, 0.371)),
        500: ((97.555, 0.187), (97.517, 0.292), (97.518, 0.280), (97.525, 0.201)),
    },
}

TABLE_3_SAVED = {  # budget -> training time that (Lookup-h, Lookup-WD) save of GSS's
    "SUSY": {100: (43.911, 43.396), 500: (39.201, 39.199)},
    "SKIN": {100: (20.515, 17.788), 200: (14.173, 14.900)},
    "IJCNN": {100: (28.091, 30.372), 500: (30.569, 29.861)},
    "ADULT": {100: (21.627, 18.452), 500: (22.334, 22.339)},
    "WEB": {100: (3.053, 5.649), 500: (7.483, 0.508)},
    "PHISHING": {100: (15.385, 13.946), 500: (7.563, 10.924)},
}

TABLE_3_DECISIONS = {  # at budget 100: merging frequency, equal decisions, WD factor of GSS and of Lookup-WD
    "SUSY": (43, 93.64, 1.01795, 1.00733),
    "SKIN": (16, 74.31, 1.00047, 1.00005),
    "IJCNN": (17, 91.79, 1.02429, 1.00149),
    "ADULT": (32, 92.54, 1.05064, 1.00402),
    "WEB": (6, 93.77, 1.00255, 1.00039),
    "PHISHING": (21, 96.96, 1.00055, 1.00008),
}

MERGING_SAVED = 65
""""On our largest data set we reduce the merging time by 65%" (Section 1, of SUSY)."""
