"""A machine's load as MCP tools."""
