"""Cases with canonical and drawn inputs, completed and checked by MXNet's inference."""
