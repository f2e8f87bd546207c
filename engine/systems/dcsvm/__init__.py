"""DC-SVM: divide the data, solve the clusters' problems, conquer the whole (Hsieh, Si and Dhillon, ICML 2014).

In: labelled data. Out: the exact model, or the models of a level for early prediction; events for each level.

Who calls whom: estimator -> training -> algorithm (the generator) -> partition (divides the data and routes new
points) and the kernel SVM's subproblems and algorithm. Beside the solution: theory (D(pi), Theorems 1 to 3),
early_prediction (models of a level), early_check (what it loses against the exact model), baselines (what the paper
compares with).
"""
