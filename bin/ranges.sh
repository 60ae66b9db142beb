#!/usr/bin/env bash
# Measures what ranges bring and what they cost, on nodes of this checkout, alone on this machine:
#   bin/ranges.sh throughput [ROUNDS [SECONDS [WARM_SECONDS]]]   what a node carries, persistent QoS 1, with its inboxes in 1, 2, 4, 8 and 16
#                                                                ranges cut by hand and in as many as it makes of itself (15 4 45: 15 minutes)
#   bin/ranges.sh idle [ROUNDS [SECONDS [RANGES]]]               memory, threads and CPU of RANGES more, nobody connected (3 60 99: 5 minutes)
# A table goes to the terminal, the same as JSON to ./perf-reports. Needs iproute2 and the right to make a network namespace, as bin/figures.sh does.
set -euo pipefail
here="$PWD"
case "${1:-}" in
  throughput) defaults=(15 4 45) ;;
  idle) defaults=(3 60 99) ;;
  -h | --help) sed -n '2,6s/^# //p' "$0"; exit 0 ;;
  *) sed -n '2,6s/^# //p' "$0" >&2; exit 2 ;;
esac
cd "$(dirname "$0")/.."
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
