"""MXNet's operator registry, crawled, and shape and type inference as a service."""
