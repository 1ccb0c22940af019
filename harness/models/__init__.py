"""The model's service: the client, its prices, and a local service for rehearsals that speaks the same interface."""
