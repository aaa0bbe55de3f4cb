"""Which expectation holds of a case: the first that matches and says something."""

import re
from collections.abc import Sequence

from windtunnel.model.expectation_part import Expectation, Expected
from windtunnel.model.identity import case_name
from windtunnel.model.measure import Compared


def expected(case: Compared, expectations: Sequence[Expectation]) -> Expected:
    """Return what holds of *case*; expressions are searched in ``benchmark(param, ...)``."""
    text = case_name(case.benchmark, case.params)
    matching = [one for one in expectations if re.search(one.match, text)]
    usual = Expected()
    return Expected(
        threshold=next((one.threshold for one in matching if one.threshold is not None), usual.threshold),
        better=next((one.better for one in matching if one.better is not None), usual.better),
    )
