"""How numbers are written, everywhere on the stage."""


def number(value: float, digits: int = 4) -> str:
    """A number to so many digits, with a true minus sign."""
    return f"{value:.{digits}g}".replace("-", "−")


def count(value: int) -> str:
    """A whole number: up to five digits as it is, then in thousands, millions, ..."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= max(size, 1e5):
            return f"{value / size:.3g} {unit}"
    return f"{value:,}"


def seconds(value: float, digits: int = 3) -> str:
    """A time: microseconds to seconds."""
    unit, size = next(((unit, size) for unit, size in (("s", 1.0), ("ms", 1e-3)) if value >= size), ("µs", 1e-6))
    value /= size
    return f"{value:,.0f} {unit}" if value >= 10**digits else f"{value:.{digits}g} {unit}"
