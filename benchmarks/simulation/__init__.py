"""Whole nights without containers: seeded worlds with known truth, our rule on the real decision code, and peers' rules."""
