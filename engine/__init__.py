"""The solvers: numpy, numba, scipy and scikit-learn, and no knowledge of any screen."""
