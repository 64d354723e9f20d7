"""Runs and hunts on several machines, over Dask."""
