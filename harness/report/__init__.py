"""The report: one self-contained HTML page of a campaign, from its ledger alone."""
