"""mcplint: when the MCP client dies, does this server die too?"""

__version__ = "0.1.0"
