#!/usr/bin/env bash
# Usage: bin/fairness.sh [RUNS] [SECONDS]
#
# Measures how long other clients wait while one client publishes to topics that are expensive to match.
#
#   RUNS           number of runs (default: 3)
#   SECONDS        measured time of each load (default: 15)
#
# Requires iproute2 and permission to create a network namespace; see bin/figures.sh.
#
# Options:
#   -h, --help     print this help
#   --version      print the version
#
# Example:
#   bin/fairness.sh 1 5
#
# Exit codes:
#   0   the measurement finished
#   1   the build or the measurement failed
#   2   invalid usage, or a required tool is missing
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
answer_help_and_version "$@"
require_number 'each of RUNS and SECONDS' "${@:1:2}"
exec_benchmark io.fjordmq.perf.EventLoopFairness "$HOME_DIR" "${1:-3}" "${2:-15}"
