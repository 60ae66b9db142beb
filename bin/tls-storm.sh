#!/usr/bin/env bash
# Usage: bin/tls-storm.sh [RUNS] [SECONDS] [RATE] [rsa|ec]
#
# Measures message latency and event-loop CPU with and without a storm of new TLS clients.
#
#   RUNS           number of runs (default: 3)
#   SECONDS        measured time of each load (default: 15)
#   RATE           new TLS clients per second (default: 500)
#   rsa|ec         key type of the server certificate (default: ec)
#
# Requires iproute2 and permission to create a network namespace; see bin/figures.sh.
#
# Options:
#   -h, --help     print this help
#   --version      print the version
#
# Example:
#   bin/tls-storm.sh 5 10 200 rsa
#
# Exit codes:
#   0   the measurement finished
#   1   the build or the measurement failed
#   2   invalid usage, or a required tool is missing
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
answer_help_and_version "$@"
require_number 'each of RUNS, SECONDS and RATE' "${@:1:3}"
exec_benchmark io.fjordmq.perf.TlsStorm "$HOME_DIR" "${1:-3}" "${2:-15}" "${3:-500}" "${4:-ec}"
