"""The layers of Gluon: constructor arguments and arrays of each; a new layer is a line in one of the modules."""
