"""What the DC-Pred++ paper printed (Hsieh, Si and Dhillon, NIPS 2014). Its figures are pictures without numbers.

Prediction times are multiples of a linear model's; accuracies are percent; training times are seconds.
"""

Measured = tuple[float, float, float]

# Training rows; method -> prediction time, accuracy, training time.
TABLE_1: dict[str, tuple[int, dict[str, Measured]]] = {
    "Letter": (12_000, {
        "DC-Pred++": (12.8, 95.90, 1.2), "LDKL": (29, 95.78, 243), "kmeans Nystrom": (140, 87.58, 3.8),
        "AESVM": (1542, 80.97, 55.2), "STPRtool": (50, 85.9, 47.7), "Fastfood": (50, 89.9, 15),
    }),
    "CovType": (522_910, {
        "DC-Pred++": (18.8, 95.19, 372), "LDKL": (35, 89.53, 4095), "kmeans Nystrom": (200, 73.63, 1442),
        "AESVM": (3157, 75.81, 204), "STPRtool": (50, 82.14, 77400), "Fastfood": (60, 66.8, 256),
    }),
    "Usps": (7_291, {
        "DC-Pred++": (14.4, 95.56, 2), "LDKL": (12.01, 95.96, 19), "kmeans Nystrom": (200, 92.53, 4.8),
        "AESVM": (5787, 85.97, 55.3), "STPRtool": (50, 93.6, 34.5), "Fastfood": (80, 94.39, 12),
    }),
    "Kddcup": (4_898_431, {
        "DC-Pred++": (11.8, 92.3, 154), "LDKL": (26, 92.2, 997), "kmeans Nystrom": (200, 87, 1481),
        "AESVM": (604, 92.1, 2717), "STPRtool": (50, 89.8, 4925), "Fastfood": (80, 91.1, 970),
    }),
    "a9a": (32_561, {
        "DC-Pred++": (12.5, 83.9, 6.3), "LDKL": (32, 81.95, 490), "kmeans Nystrom": (50, 83.9, 1.28),
        "AESVM": (4859, 81.9, 33.17), "STPRtool": (50, 82.32, 69.1), "Fastfood": (80, 61.9, 59.9),
    }),
}  # fmt: skip

TABLE_3 = {4: (91.2, 64), 16: (93.4, 20), 64: (95.5, 12), 256: (92.3, 9), 1024: (86.7, 11)}
"""On usps: clusters -> accuracy and prediction time."""

TABLE_4 = {0.05: (94.3, 9), 0.1: (95.5, 12), 0.2: (95.6, 19)}
"""On usps with 64 clusters: landmarks for each support vector -> accuracy and prediction time."""
