"""The HTTP API, version 1: thin views over the same services as the pages."""
