"""What happened, put together from several tables once for all signals and charts: jobs, checkpoints, load."""
