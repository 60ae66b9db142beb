#!/usr/bin/env bash
# Usage: bin/ranges.sh throughput [ROUNDS [SECONDS [WARM_SECONDS]]]
#        bin/ranges.sh idle [ROUNDS [SECONDS [RANGES]]]
#        bin/ranges.sh record DIR SCENARIO [OPTION]...
#        bin/ranges.sh replay [FILE DENSITY]
#
# Measures the benefit and the cost of ranges on nodes of this checkout, and shows what the split strategy does with a
# load. Run the measurements on an otherwise idle host.
#
# Commands:
#   throughput   measure the throughput of a node, with persistent sessions and QoS 1, whose inboxes are split
#                manually into 1, 2, 4, 8 and 16 ranges, and of a node that splits by itself. The defaults take 15
#                minutes.
#   idle         compare memory, threads and CPU of a node with RANGES additional ranges with those of a node without,
#                both without clients. The defaults take 5 minutes.
#   record       run SCENARIO with bin/perf.sh on a node with one range per store and no splits, and record the load
#                of the ranges in DIR. OPTIONs are those of 'bin/perf.sh run'.
#   replay       replay loads to the built-in split strategy and print splits, merges and balance. Without arguments:
#                replay all known loads, synthetic and recorded. With FILE: replay that recording.
#
# Arguments:
#   ROUNDS         number of rounds (default: throughput 15, idle 3)
#   SECONDS        measured time of each round (default: throughput 4, idle 60)
#   WARM_SECONDS   load on each node before the first round (default: 45)
#   RANGES         number of additional ranges (default: 99)
#   FILE           a recording that the load recorder made (docs/PLUGINS.md)
#   DENSITY        maximum load of a range in requests per second, as in storeConfig.STORE.maxIoDensity
#
# throughput and idle print a table, write the same figures as JSON to ./perf-reports, and require iproute2 and
# permission to create a network namespace; see bin/figures.sh.
#
# Options:
#   -h, --help     print this help
#   --version      print the version
#
# Examples:
#   bin/ranges.sh throughput 7 4 30
#   bin/ranges.sh record recorded few_inboxes_1n --seconds 75
#
# Exit codes:
#   0   the command finished
#   1   the build or the measurement failed
#   2   invalid usage, or a required tool is missing
# record exits with the code of 'bin/perf.sh run'.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
here="$PWD"
answer_help_and_version "$@"
case "${1:-}" in
  throughput) defaults=(15 4 45) ;;
  idle) defaults=(3 60 99) ;;
  record) [ $# -ge 3 ] || fail "record requires a directory and a scenario; see --help" ;;
  replay)
    [ $# -eq 1 ] || [ $# -eq 3 ] || fail "replay takes either no arguments or FILE and DENSITY; see --help"
    [ $# -eq 1 ] || [ -r "$2" ] || fail "cannot read recording '$2': it does not exist or is not readable"
    [ $# -eq 1 ] || [[ "$3" =~ ^[1-9][0-9]{0,8}$ ]] || fail "DENSITY must be a number of requests per second above 0: '$3'"
    ;;
  '') header_help >&2; exit 2 ;;
  *) fail "unknown command '$1'; see --help" ;;
esac
cd "$HOME_DIR"

if [ "$1" = replay ]; then
  mvn -B -q test-compile dependency:build-classpath -pl range-store -am -Dmdep.outputFile=target/test-classpath.txt
  root="$PWD"
  cd "$here"
  exec java -cp "$root/range-store/target/test-classes:$root/range-store/target/classes:$(cat "$root/range-store/target/test-classpath.txt")" \
    io.fjordmq.range.load.SplitFigures "${@:2}"
fi

if [ "$1" = record ]; then
  bin/perf.sh build
  folder="$(cd "$here" && mkdir -p "$2" && cd "$2" && pwd)"
  plugins="$(mktemp -d)"
  trap 'rm -rf "$plugins"' EXIT
  cp perf/target/perf-*.jar "$plugins/load-recorder.jar"
  root="$PWD"
  cd "$here"
  FJORDMQ_SECURITYCONFIG__PLUGINDIR="$plugins" FJORDMQ_SPLITCONFIG__STRATEGY=load-recorder FJORDMQ_PLUGINS__LOAD_RECORDER__FOLDER="$folder" \
    FJORDMQ_INBOXCONFIG__INITIALRANGES=1 FJORDMQ_ROUTERCONFIG__INITIALRANGES=1 FJORDMQ_RETAINCONFIG__INITIALRANGES=1 \
    "$root/bin/perf.sh" run "${@:3}"
  exit
fi

exec_benchmark io.fjordmq.perf.ranges.RangesTool "$HOME_DIR" "$here" "$1" "${2:-${defaults[0]}}" "${3:-${defaults[1]}}" "${4:-${defaults[2]}}"
