"""Reports as one HTML page, which needs no server and no network."""
