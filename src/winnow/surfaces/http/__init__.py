"""The HTTP API: routes over the table of operations, and what a server needs around them."""
