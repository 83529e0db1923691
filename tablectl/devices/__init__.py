"""All that an author of a driver needs: the contract, framing, links, sessions and the means to test them."""
