#!/usr/bin/env bash
# Measures what ranges bring and what they cost, on nodes of this checkout, alone on this machine:
#   bin/ranges.sh throughput [ROUNDS [SECONDS [WARM_SECONDS]]]   what a node carries, persistent QoS 1, with its inboxes in 1, 2, 4, 8 and 16
#                                                                ranges cut by hand and in as many as it makes of itself (15 4 45: 15 minutes)
#   bin/ranges.sh idle [ROUNDS [SECONDS [RANGES]]]               memory, threads and CPU of RANGES more, nobody connected (3 60 99: 5 minutes)
# A table goes to the terminal, the same as JSON to ./perf-reports. Needs iproute2 and the right to make a network namespace, as bin/figures.sh does.
#
# And shows what a split strategy makes of a load (docs/PLUGINS.md):
#   bin/ranges.sh record FOLDER SCENARIO [OPTIONS]               bin/perf.sh run SCENARIO with one range of each store, none of which is split;
#                                                                what each has to do is written to FOLDER
#   bin/ranges.sh replay [FILE DENSITY]                          splits, merges and balance, by the built-in strategy, of all loads that are known, made up
#                                                                and recorded; or of a recording, where a range may carry DENSITY requests a second
set -euo pipefail
here="$PWD"
help() { sed -n '2,13s/^# \{0,1\}//p' "$0"; }
case "${1:-}" in
  throughput) defaults=(15 4 45) ;;
  idle) defaults=(3 60 99) ;;
  record) [ $# -ge 3 ] || { help >&2; exit 2; } ;;
  replay)
    [ $# -eq 1 ] || [ $# -eq 3 ] || { help >&2; exit 2; }
    [ $# -eq 1 ] || [ -r "$2" ] || { echo "ranges.sh: there is no recording '$2', or it may not be read" >&2; exit 2; }
    [ $# -eq 1 ] || [[ "$3" =~ ^[1-9][0-9]{0,8}$ ]] || { echo "ranges.sh: DENSITY is requests a second that a range may carry, not '$3'" >&2; exit 2; }
    ;;
  -h | --help) help; exit 0 ;;
  *) help >&2; exit 2 ;;
esac
cd "$(dirname "$0")/.."

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

for tool in ip unshare; do
  command -v "$tool" >/dev/null || { echo "ranges.sh: '$tool' is not installed" >&2; exit 2; }
done
mvn -B -q -DskipTests package dependency:build-classpath -Dmdep.outputFile=target/classpath.txt
classpath="perf/target/classes:$(cat perf/target/classpath.txt)"
exec unshare -n bash -c '
  ip link set lo up
  ip route replace local 127.0.0.1 dev lo table local proto kernel scope host src 127.0.0.1 congctl cubic
  exec java -Dlogback.configurationFile=perf/target/classes/logback.xml -Xms256m -Xmx1g -XX:+UseSerialGC -cp "$1" io.fjordmq.perf.ranges.RangesTool "${@:2}"
' ranges "$classpath" "$PWD" "$here" "$1" "${2:-${defaults[0]}}" "${3:-${defaults[1]}}" "${4:-${defaults[2]}}"
