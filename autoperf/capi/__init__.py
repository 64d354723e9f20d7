"""MXNet's C API over ctypes: the only room that loads libmxnet.so, and never the Python package around it."""
