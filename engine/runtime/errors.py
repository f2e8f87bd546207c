"""The one wording for a refused value: its name, what is accepted, and the value."""


def invalid(name: str, value: object, accepted: str) -> ValueError:
    """Return the error for a parameter `name` whose `value` is not what is `accepted`."""
    shown = repr(value)
    if len(shown) > 120:
        shown = shown[:117] + "..."
    return ValueError(f"{name} must be {accepted}; got {shown}")
