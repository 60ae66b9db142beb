#!/usr/bin/env bash
# Runs every test, the slow ones too, and the format and static checks. Needs a JDK (17 or newer) and Maven 3.8.
set -euo pipefail
cd "$(dirname "$0")/.."
exec mvn -B verify "$@"
