#!/bin/sh
# Applies the reference solution to the project in /app.
set -eu
cd /app
git apply "$(dirname "$0")/change.patch"
