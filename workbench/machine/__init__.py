"""The workbench's environment: variables, secret key, disk, broker. It depends on no application."""
