"""What happened during the incident, combined from several tables once for all signals and charts."""
