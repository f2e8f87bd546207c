"""The one wording of a refused value: what it is called, what it was, what is accepted."""


def invalid(name: str, value: object, accepted: str) -> ValueError:
    """Return the error for a parameter `name` whose `value` is not what is `accepted`."""
    shown = repr(value)
    if len(shown) > 120:
        shown = shown[:117] + "..."
    return ValueError(f"{name} must be {accepted}; got {shown}")
