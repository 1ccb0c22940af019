#!/bin/sh
# Harbor's verifier: the hidden tests over the agent's tree. The harness grades more strictly (see docs/sandbox.md).
mkdir -p /logs/verifier
cd "$(dirname "$0")/overlay"
if PYTHONPATH=/app/src:/app python -m pytest -q -p no:cacheprovider .; then reward=1; else reward=0; fi
printf '{"reward": %s}\n' "$reward" > /logs/verifier/reward.json
