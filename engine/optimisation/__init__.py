"""TODO: what this room is."""
