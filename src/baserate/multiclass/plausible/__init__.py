"""Tables that could well have given the counts that were observed, and numbers computed of them."""
