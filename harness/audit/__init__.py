"""Audit: pure views over a ledger. What was decided and why, whether it is as it was written, whether it computes again."""
