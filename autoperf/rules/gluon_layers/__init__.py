"""The layers of Gluon: constructor arguments and arrays of each, by group; a new layer is a line in one of them."""
