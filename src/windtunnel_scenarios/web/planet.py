"""What the service computes, the same for every framework."""

import json

import ephem


def position(planet: str) -> str:
    """Right ascension and declination at the start of 2022, in radians, as JSON."""
    body = getattr(ephem, planet)("2022/1/1")
    return json.dumps({"ra": round(float(body.ra), 6), "dec": round(float(body.dec), 6)})
