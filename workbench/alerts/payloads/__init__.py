"""The bodies in which alerting systems send alerts, one file for each system."""
