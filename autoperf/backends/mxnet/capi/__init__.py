"""MXNet's C API over ctypes: the only package that loads libmxnet.so. It never imports MXNet's Python package."""
