"""The promotion rule: a table of outcomes in, a decision out. Pure: no clock, no files, no random numbers of its own."""
