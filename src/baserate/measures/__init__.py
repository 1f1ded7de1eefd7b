"""One record for each measure."""
