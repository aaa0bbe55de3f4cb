"""Two commits: match cases, schedule processes, measure, decide, report; and bisection."""
