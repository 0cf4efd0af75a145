"""The MCP server: every tool is an operation of the table. Loads the SDK, so import it late."""

from winnow.surfaces.mcp.http import McpApp, make_mcp_app
from winnow.surfaces.mcp.server import McpServer
from winnow.surfaces.mcp.stdio import serve_stdio

__all__ = ["McpApp", "McpServer", "make_mcp_app", "serve_stdio"]
