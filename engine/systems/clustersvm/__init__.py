"""ClusterSVM: train on representatives of clusters, split those that the margin cuts (Boley and Cao, SDM 2004).

In: labelled data. Out: an exact or approximate model; events for clusters, reduced sets and passes.

Who calls whom: estimator -> training -> clusters (each class once, by pddp or k-means), then algorithm (the generator)
for each task -> reduced_problem (representatives and means) -> the kernel SVM's algorithm.
"""
