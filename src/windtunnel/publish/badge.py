"""The badge for a README: how many benchmarks are slower now, as SVG and as an endpoint of shields.io."""

from typing import Literal
from xml.sax.saxutils import escape

import msgspec

from windtunnel.detect.format import ChangeStatus, DetectedChanges, Direction

LABEL = "benchmarks"
HEIGHT, MARGIN, LETTER = 20, 6, 7
"""Pixels; digits and small letters of the font below are at most seven wide at eleven pixels."""
GREEN, RED, AMBER, GREY = "#2f6f2f", "#a5321f", "#7a5200", "#444"
"""Each has a contrast of at least 4.5 : 1 with the white letters (WCAG 2.1, 1.4.3)."""


class Badge(msgspec.Struct, frozen=True, kw_only=True):
    """badge.json; the field names are those of shields.io (https://shields.io/badges/endpoint-badge)."""

    schemaVersion: Literal[1] = 1  # noqa: N815 - the name is shields.io's
    """The version of the endpoint."""
    label: str = LABEL
    """The left half."""
    message: str
    """The right half."""
    color: str
    """The colour of the right half."""


def build_badge(changes: DetectedChanges) -> Badge:
    """Return the badge of *changes*: how many benchmarks have a current regression, if any series has enough values."""
    slower = {
        change.benchmark
        for change in changes.changes
        if change.direction is Direction.REGRESSED and change.status is ChangeStatus.CURRENT
    }
    if slower:
        return Badge(message=f"{len(slower)} slower", color=RED)
    if changes.series and changes.too_short == changes.series:
        return Badge(message="too few results", color=AMBER)
    return Badge(message="steady", color=GREEN)


def render_svg(badge: Badge) -> str:
    """Return *badge* as an image that loads no font and no script."""
    left, right = (2 * MARGIN + LETTER * len(text) for text in (badge.label, badge.message))
    label, message = escape(badge.label), escape(badge.message)
    title = f"{label}: {message}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{HEIGHT}" role="img" '
        f'aria-label="{title}"><title>{title}</title>'
        f'<rect width="{left}" height="{HEIGHT}" fill="{GREY}"/>'
        f'<rect x="{left}" width="{right}" height="{HEIGHT}" fill="{badge.color}"/>'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,sans-serif" font-size="11">'
        f'<text x="{left / 2:g}" y="14">{label}</text>'
        f'<text x="{left + right / 2:g}" y="14">{message}</text></g></svg>\n'
    )
