"""The relay: a program in a container calls the model through a socket; key, rules, budget and records stay on this side."""
