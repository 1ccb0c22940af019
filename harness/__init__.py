"""Coding-skill harness: improve an agent's instructions, promote only what tests, style and review all confirm."""
