"""The checkpoints of each job: their history, each subtask's part, why they failed, and what they commit."""
