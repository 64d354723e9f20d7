"""The C API of libmxnet.so through ctypes; the only room that loads MXNet."""
