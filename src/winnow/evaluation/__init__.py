"""`winnow eval`: how well recall finds what answers a question, measured on a set of questions."""
