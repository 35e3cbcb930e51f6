"""The laboratory: starts a real server, ends its client in every way, and measures what is left."""
