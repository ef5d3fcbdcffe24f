"""What a run came to: every centavo and every row in its place."""
