"""Reports of a case as Markdown, HTML, PDF, JSON and a post-mortem draft, and a bundle for re-running it elsewhere."""
