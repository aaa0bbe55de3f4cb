"""Of the normal distribution."""

MEDIAN_OF_NORMAL = 0.6744897501960817
"""The median of |x| for a standard normal x: a median absolute deviation divided by it is a standard deviation."""
