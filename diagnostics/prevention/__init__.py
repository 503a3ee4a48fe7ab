"""Earlier warning for the next time: alert rules, their unit test and a dashboard, generated from one case.

Names are spelled as Flink's Prometheus reporter spells them with default scope formats, `flink_jobmanager_job_…` and
`flink_taskmanager_job_task_…`, and so are label values: letters, digits, `:` and `_`, everything else is an `_`, unless
`filterLabelValueCharacters` of the reporter is switched off.
"""
