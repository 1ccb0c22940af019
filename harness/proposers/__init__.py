"""Strategies that write variants, one file each."""
