"""Reports of a case as Markdown, HTML, PDF, JSON and a post-mortem draft, and the bundle that runs again."""
