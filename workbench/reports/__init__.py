"""A case to hand on: as Markdown, one HTML file, PDF, JSON, a post-mortem draft, and a bundle that runs again."""
