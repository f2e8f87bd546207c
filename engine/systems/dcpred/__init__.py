"""DC-Pred++: compress a kernel SVM or kernel ridge regression for fast prediction (Hsieh, Si and Dhillon, 2014).

In: labelled data or targets, or a fitted model. Out: a `CompressedModel`; events for the tree and for each leaf.

Who calls whom: estimator -> training -> algorithm (the generator) -> tree (routes points to leaves), learners (the
exact models of the leaves), landmarks and landmark_tuning, nystrom (pseudo-landmarks). The result is a
compressed_model, which predicts through prediction_loops.
"""
