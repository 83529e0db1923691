"""What a set of cards is worth, and nothing of who pays."""
