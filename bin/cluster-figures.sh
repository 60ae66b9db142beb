#!/usr/bin/env bash
# Usage: bin/cluster-figures.sh [RATE [RUNS [SECONDS [WARM_SECONDS [one|all [VOTERS]]]]]]
#
# Measures a cluster of three nodes on this host with one voter and with three voters per range: idle CPU, a steady
# load at four times RATE, a steady load at RATE, and the highest sustained rate. One run of both voter counts takes
# about six minutes.
#
#   RATE           messages per second of each of the 50 publishers (default: 20)
#   RUNS           number of runs (default: 1)
#   SECONDS        measured time of each steady load (default: 15)
#   WARM_SECONDS   warm-up time before the first load (default: 15)
#   one|all        connect the clients to one node or to all nodes (default: one)
#   VOTERS         1 or 3; measure only this number of voters (default: both in turn)
#
# Requires iproute2 and permission to create a network namespace; see bin/figures.sh.
#
# Options:
#   -h, --help     print this help
#   --version      print the version
#
# Example:
#   bin/cluster-figures.sh 19 5 8 30 all 3
#
# Exit codes:
#   0   the measurement finished
#   1   the build or the measurement failed
#   2   invalid usage, or a required tool is missing
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
answer_help_and_version "$@"
require_number 'each of RATE, RUNS, SECONDS and WARM_SECONDS' "${@:1:4}"
case "${5:-one}" in one | all) ;; *) fail "the fifth argument must be 'one' or 'all': '$5'; see --help" ;; esac
exec_benchmark io.fjordmq.perf.ClusterFigures "$HOME_DIR" "${1:-20}" "${2:-1}" "${3:-15}" "${4:-15}" "${5:-one}" ${6:+"$6"}
