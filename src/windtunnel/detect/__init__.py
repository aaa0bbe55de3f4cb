"""Detects changes in histories and tracks them as alerts.

Detection reads from series to levels, steps, candidate_change, machine_shift, change_builder, and detection.
Alerts read from alert_events to alerts and alert_text.
"""
