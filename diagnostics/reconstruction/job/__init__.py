"""What runs where: jobs, tasks, TaskManagers, the job graph, and the clocks of their logs."""
