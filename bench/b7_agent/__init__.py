"""B-7.1 by an agent: the same question with typed filters, and by reading notes one by one.

`python -m bench b7_agent` runs both through a real MCP client and a server of its own.
"""
