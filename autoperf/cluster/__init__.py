"""A fleet of machines over Dask distributed: what travels to them, and the runner that measures on all of them."""
