"""A badge for a README: how many benchmarks are slower today than before, as SVG and as an endpoint of shields.io."""

from dataclasses import dataclass
from typing import Annotated, Literal
from xml.sax.saxutils import escape

from msgspec import Meta

from windtunnel.detect.format import ChangeStatus, DetectedChanges, Direction

LABEL = "benchmarks"
HEIGHT, MARGIN, LETTER = 20, 6, 7
"""Pixels; digits and small letters of the font below are at most seven wide at eleven pixels."""
GOOD, BAD, GREY = "#2f6f2f", "#a5321f", "#444"
"""Each has at least 4.5 : 1 against the white letters (WCAG 2.1, 1.4.3)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Badge:
    """What the badge says; the field names are shields.io's (https://shields.io/badges/endpoint-badge)."""

    schemaVersion: Annotated[Literal[1], Meta(description="of shields.io")] = 1  # noqa: N815 - shields.io's name
    label: str = LABEL
    message: str
    color: str


def badge(changes: DetectedChanges) -> Badge:
    """Return the badge of *changes*: benchmarks with a current regression, each counted once."""
    slower = {
        change.benchmark
        for change in changes.changes
        if change.direction is Direction.REGRESSED and change.status is ChangeStatus.CURRENT
    }
    if slower:
        return Badge(message=f"{len(slower)} slower", color=BAD)
    return Badge(message="steady", color=GOOD)


def badge_svg(shown: Badge) -> str:
    """Return the badge as an image that needs no font and no script of anyone's."""
    left, right = (2 * MARGIN + LETTER * len(text) for text in (shown.label, shown.message))
    label, message = escape(shown.label), escape(shown.message)
    title = f"{label}: {message}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{HEIGHT}" role="img" '
        f'aria-label="{title}"><title>{title}</title>'
        f'<rect width="{left}" height="{HEIGHT}" fill="{GREY}"/>'
        f'<rect x="{left}" width="{right}" height="{HEIGHT}" fill="{shown.color}"/>'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,sans-serif" font-size="11">'
        f'<text x="{left / 2:g}" y="14">{label}</text>'
        f'<text x="{left + right / 2:g}" y="14">{message}</text></g></svg>\n'
    )
