"""GitHub, and forges with the same REST interface: ``requests`` says what is asked, ``client`` asks it."""
