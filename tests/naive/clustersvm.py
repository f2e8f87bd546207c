"""ClusterSVM once more, line for line from its description, dense and with no trick for speed."""

import numpy as np

from tests.naive.oracles import dual_by_clarabel


def pddp(X, count):
    """Labels of the clusters; principal directions by a singular value decomposition."""
    clusters, widest = [np.arange(len(X))], [True]
    while len(clusters) < count:
        scatter = [((X[c] - X[c].mean(0)) ** 2).sum() if w else -1 for c, w in zip(clusters, widest, strict=True)]
        chosen = int(np.argmax(scatter))
        if scatter[chosen] <= 0:
            break
        members = clusters[chosen]
        centred = X[members] - X[members].mean(axis=0)
        direction = np.linalg.svd(centred)[2][0]
        direction *= np.sign(direction[np.abs(direction).argmax()])
        beyond = centred @ direction > 0
        if np.abs(centred).max() < 1e-10:
            widest[chosen] = False
            continue
        clusters[chosen] = members[~beyond]
        clusters.append(members[beyond])
        widest.append(True)
    labels = np.empty(len(X), int)
    for number, members in enumerate(clusters):
        labels[members] = number
    return labels


def pseudo_centre(X, members):
    """The member nearest to the mean."""
    return members[((X[members] - X[members].mean(axis=0)) ** 2).sum(axis=1).argmin()]


def trained(K, y, C, points):
    """Multipliers, over all points, and bias of the SVM trained on these points."""
    part, _ = dual_by_clarabel(
        K[np.ix_(points, points)], y[points], np.full(len(points), C), -np.ones(len(points)), True
    )
    alpha = np.zeros(len(y))
    alpha[points] = part
    values = y - K @ (y * alpha)
    free = (alpha > 1e-6 * C) & (alpha < (1 - 1e-6) * C)
    return alpha, values[free].mean()


def clustersvm(K, X, y, C, clusters, passes, tol):
    """Algorithm 1; the reduced set and the multipliers after each training, from the initial one on."""
    single, groups = np.empty(0, int), [members for members in clusters if len(members)]
    found = []
    for number in range(passes + 1):
        reduced = np.concatenate([single, [pseudo_centre(X, members) for members in groups]]).astype(int)
        alpha, bias = trained(K, y, C, reduced)
        found.append((np.sort(reduced), alpha))
        margins = y * (K @ (y * alpha) + bias)
        within = margins <= 1 + tol
        if number == passes or not any(within[members].any() for members in groups):
            break
        single = np.concatenate([single, *[members[within[members]] for members in groups]])
        groups = [members[~within[members]] for members in groups if not within[members].all()]
    return found
