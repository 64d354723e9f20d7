"""What exists: MXNet's operator registry, crawled, with inference as a service."""
