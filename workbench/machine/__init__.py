"""What the workbench runs on: environment variables, its secret key, the disk, the broker. It knows no application."""
