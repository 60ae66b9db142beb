#!/usr/bin/env bash
# Usage: bin/security-costs.sh [RUNS] [SECONDS] [WHAT]
#
# Measures the cost of access rules, password logins and TLS. Prints each run and the medians of all runs.
#
#   RUNS           number of runs (default: 5)
#   SECONDS        measured time of the load for 'rules' (default: 10)
#   WHAT           what to measure (default: all)
#                    rules    CPU per message, with and without access rules
#                    logins   latency and CPU of a password login, for a user's first and second login
#                    idle     memory of an idle connection, with and without TLS
#                    all      all of the above
#
# Requires iproute2 and permission to create a network namespace; see bin/figures.sh.
#
# Options:
#   -h, --help     print this help
#   --version      print the version
#
# Example:
#   bin/security-costs.sh 7 10 rules
#
# Exit codes:
#   0   the measurement finished
#   1   the build or the measurement failed
#   2   invalid usage, or a required tool is missing
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
answer_help_and_version "$@"
require_number 'each of RUNS and SECONDS' "${@:1:2}"
exec_benchmark io.fjordmq.perf.SecurityCosts "$HOME_DIR" "${1:-5}" "${2:-10}" "${3:-all}"
