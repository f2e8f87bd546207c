"""A kernel perceptron: `system` trains, `presentation` shows it on the stage."""
