"""Prediction by DC-Pred++ once more, from its events alone, one point and one number at a time."""

import numpy as np

from engine.systems.dcpred.events import KernelApproximated, LandmarksChosen, LeafCompressed, TreeGrown, TreeSplit


class Naive:
    def __init__(self, events, gamma, X):
        self.gamma, self.X = gamma, X
        self.splits = {event.node: event for event in events if isinstance(event, TreeSplit)}
        [self.grown] = [event for event in events if isinstance(event, TreeGrown)]
        self.landmarks = {event.leaf: event.landmarks for event in events if isinstance(event, LandmarksChosen)}
        self.kernels = {event.leaf: event for event in events if isinstance(event, KernelApproximated)}
        self.machines = {event.leaf: event for event in events if isinstance(event, LeafCompressed)}

    def leaf(self, x):
        node = 0
        while node in self.splits:
            split = self.splits[node]
            node = split.children[np.argmin([np.sum((x - centre) ** 2) for centre in split.centres])]
        return int(np.flatnonzero(self.grown.leaves == node)[0])

    def seen(self, leaf):
        d, members = self.X.shape[1], self.X[self.grown.labels == leaf]
        differ = [k for k in range(d) if len(set(members[:, k])) > 1]
        vectors = [-(-count // 16) for count in (len(differ), d)]
        return differ if differ and vectors[0] <= vectors[1] // 2 else range(d)

    def values(self, x):
        leaf = self.leaf(x)
        machine = self.machines[leaf]
        if leaf not in self.landmarks:
            return machine.intercepts
        seen = self.seen(leaf)
        away = [np.sqrt(sum((x[k] - u[k]) ** 2 for k in seen)) for u in self.landmarks[leaf]]
        c = [np.exp(-self.gamma * r**2) for r in away]
        for a, b in self.kernels[leaf].pairs if self.kernels[leaf].pseudo == "products" else []:
            c.append(c[a] * c[b])
        for v in self.kernels[leaf].pseudo_landmarks:
            between = [np.sqrt(np.sum((v - u) ** 2)) for u in self.landmarks[leaf]]
            c.append(np.exp(-self.gamma * min(r + s for r, s in zip(away, between, strict=True)) ** 2))
        return machine.intercepts + sum(value * row for value, row in zip(c, machine.coefficients, strict=True))
