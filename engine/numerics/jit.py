"""The fast-math flags that all numba kernels share."""

# Fast-math without reassociation: sums keep their order. NaN and inf are excluded because they never get this far:
# data are finite, and `Problem` refuses kernels whose values are not.
FAST = {"contract", "nnan", "ninf", "nsz", "arcp"}
