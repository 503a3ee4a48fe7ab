"""The web side: people, cases, uploads, queue, pages and the HTTP API around `diagnostics`."""
