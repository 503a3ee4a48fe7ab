"""The checkpoints of each job: their history, the part of each subtask, why they failed, and Kafka's transactions."""
