"""The formats of the coverage of Gluon's layers, by release."""
