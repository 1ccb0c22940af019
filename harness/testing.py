"""Doubles for tests, shipped with the product: small, honest implementations of ports. Nothing is patched anywhere."""
