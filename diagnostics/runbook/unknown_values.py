"""Placeholders of commands for values that the evidence does not hold."""

from __future__ import annotations

from collections.abc import Mapping

from diagnostics.diagnosis.missing import REST

UNKNOWN_VALUES: Mapping[str, str] = {
    "rest": REST,
    "deployment.task_manager": "<taskmanager-id>",
    "deployment.jar": "<jar>",
    "cluster.savepoint_folder": "<savepoint-directory>",
    "cluster.last_checkpoint": "<path of the last completed checkpoint>",
    "cluster.checkpoint_listing": "ls <path of the last completed checkpoint>/_metadata",
    "cluster.older_state": "<older-complete-checkpoint>",
    "settings.checkpoint_dir": "<checkpoint-directory>",
    "cluster.checkpoint_folder": "<checkpoint-directory>",
    "deployment.kafka": "<broker>:9092",
    "deployment.database_host": "<database-host>",
    "deployment.database_port": "<database-port>",
    "deployment.database_name": "<database>",
    "deployment.database_user": "<database-user>",
    "deployment.zookeeper": "<zookeeper-host>:2181",
    "deployment.hosts": "<jobmanager> <taskmanagers>",
    "tcp_loss.host": "<other-host>",
    "heap_pressure.gc_logs": "<gc-log>",
    "job_code.state_name": "<name of the present state>",
    "job_code.state_types": "<type of the present state>.class",
    "job_code.key_part": "<key>",
    "job_code.keyed_function": "<function>",
    "job_code.event_type": "<type of the events>",
    "job_code.event_time": "<time of the event>",
    "job_code.assigner": ".withTimestampAssigner((event, recorded) -> event.<time of the event>)",
    "job_code.assigner_event": "event",
    "job_code.assigner_recorded": "recorded",
    "job_code.window": ".window(<window>)",
    "job_code.look_up": ".flatMap(new <function of the look-up>())",
    "job_code.look_up_partition": ".rebalance()",
    "job_code.look_up_function": "LookUp",
    "job_code.look_up_made": "LookUp(...)",
    "job_code.look_up_key": "<look-up key>",
    "job_code.look_up_key_type": "<type of the key>",
    "job_code.look_up_answer_type": "<type of the answer>",
    "job_code.request": "send(request)",
    "job_code.state_statement": "state = getRuntimeContext().getState(<descriptor>)",
    "job_code.state_variable": "state",
    "job_code.state_type": "<type of the present state>",
    "subject.job": "<job-id>",
    "subject.vertex_id": "<vertex-id>",
    "late_records.vertex_id": "<window-vertex-id>",
    "watermarks.created_in": "<source-vertex-id>",
    "cluster.named_path": "<path>",
}
"""Reference -> placeholder, also for a value that a shell would interpret."""
