#!/usr/bin/env bash
# Usage: bin/figures.sh [--only WORK] [--against CHECKOUT] [RUNS] [SECONDS] [WARM_SECONDS]
#
# Compares FjordMQ with mosquitto, or with another version of FjordMQ, on this host. Both brokers run at the same time
# and receive the load in turn; the output shows the medians of all runs. Before the first measurement each broker
# receives load for a minute, so that its JVM has compiled the hot code. The measurement of idle connections starts
# new brokers for each run.
#
#   RUNS                 number of runs (default: 5)
#   SECONDS              measured time of each load (default: 15)
#   WARM_SECONDS         warm-up time before each load (default: 15)
#
# Options:
#   --only WORK          measure only the workload whose heading in the output begins with WORK: clean, persistent,
#                        shared, fan-out, idle, reconnect, offline or start
#   --against CHECKOUT   compare with the FjordMQ checkout in this directory instead of mosquitto
#   -h, --help           print this help
#   --version            print the version
#
# Requires mosquitto, iproute2 and permission to create a network namespace. The load runs in its own namespace, where
# loopback uses "cubic" congestion control, because the default of some kernels paces loopback traffic.
#
# Examples:
#   bin/figures.sh
#   bin/figures.sh --only persistent 5 8 8
#   bin/figures.sh --only clean --against ../fjordmq-before
#
# Exit codes:
#   0   the measurement finished
#   1   the build or the measurement failed
#   2   invalid usage, or a required tool is missing
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
answer_help_and_version "$@"
only='' against=''
while [ $# -gt 0 ]; do
  case "$1" in
    --only | --against) [ $# -ge 2 ] || fail "option $1 requires a value; see --help" ;;
  esac
  case "$1" in
    --only) only="$2"; shift 2 ;;
    --against) against="$(cd "$2" && pwd)"; shift 2 ;;
    *) break ;;
  esac
done
require_number 'each of RUNS, SECONDS and WARM_SECONDS' "$@"
require_tools mosquitto
exec_benchmark io.fjordmq.perf.Figures "$HOME_DIR" "$against" "$only" "${1:-5}" "${2:-15}" "${3:-15}"
