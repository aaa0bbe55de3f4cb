"""Reads the columns of the site's data, as its pages do."""


def decode_differences(column, digits):
    """The values that are encoded as *column*, the first one and differences; None is a gap."""
    total, values = 0, []
    for step in column:
        total += step or 0
        values.append(None if step is None else from_steps(total, digits))
    return values


def from_steps(steps, digits):
    """The value of a number of *steps* of 10 ** -digits."""
    return steps / 10**digits if digits >= 0 else float(steps * 10**-digits)
