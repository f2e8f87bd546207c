"""What the ClusterSVM paper printed (Boley and Cao, SDM 2004). Error rates are percent, times are seconds.

Figures 4 to 6 are curves without numbers.
"""

from typing import NamedTuple

TABLE_1 = {0: 25.87, 1: 25.43, 2: 25.48, 3: 25.47}
"""Passes -> error rate on the artificial data, with 6000 training points."""


class Compared(NamedTuple):
    """One of Tables 2 to 4: SMO and ClusterSVM with one pass."""

    n: int
    sizes: tuple[int, ...]  # training points of each classifier of ClusterSVM
    smo_seconds: float
    seconds: float
    clustering_seconds: float
    speedup: float
    smo_error: float
    error: float


TABLES = {
    "artificial": Compared(6000, (3260, 3026, 3022), 8344, 2588, 3, 3.2, 25.47, 25.43),
    "USPS": Compared(
        7291, (788, 2364, 1975, 1544, 2259, 1621, 1206, 2407, 1560, 2638), 105, 68, 18, 1.5, 5.43, 5.28
    ),
    "Isolet": Compared(
        6238,
        (
            1102, 1237, 840, 1242, 1123, 1102, 1016, 932, 957, 1039, 1048, 914, 945,
            1159, 946, 1435, 1018, 883, 762, 1225, 980, 1346, 1258, 837, 852, 864,
        ),
        278, 144, 24, 1.9, 4.55, 4.55,
    ),
}  # fmt: skip
"""Tables 2, 3 and 4 by the name of their data."""
