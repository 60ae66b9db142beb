#!/usr/bin/env bash
# Measures three nodes on this machine, with one and with three copies of everything:
#   bin/cluster-figures.sh [RATE [RUNS [SECONDS [WARM_SECONDS [one|all [VOTERS]]]]]]
# Each of 50 publishers sends four times RATE (20) messages a second, then RATE; then the highest rate that is held is looked for.
# Clients are those of one node, or of all. VOTERS is 1 or 3; by default both are measured in turn. One run of both takes about six minutes. Needs iproute2 and the right to make a network namespace, as bin/figures.sh does.
set -euo pipefail
case "${1:-}" in -h | --help) sed -n '2,5s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
number() { # $1 is what the usage calls it
  case "$2" in '' | *[!0-9]*) echo "cluster-figures.sh: $1 must be a whole number: '$2'; see --help" >&2; exit 2 ;; esac
}
for value in "${@:1:4}"; do number 'each of RATE, RUNS, SECONDS and WARM_SECONDS' "$value"; done
case "${5:-one}" in one | all) ;; *) echo "cluster-figures.sh: clients are those of 'one' node or of 'all': '$5'; see --help" >&2; exit 2 ;; esac
cd "$(dirname "$0")/.."
for tool in ip unshare; do
  command -v "$tool" >/dev/null || { echo "cluster-figures.sh: '$tool' is not installed" >&2; exit 2; }
done
mvn -B -q -DskipTests package dependency:build-classpath -Dmdep.outputFile=target/classpath.txt
classpath="perf/target/classes:$(cat perf/target/classpath.txt)"
exec unshare -n bash -c '
  ip link set lo up
  ip route replace local 127.0.0.1 dev lo table local proto kernel scope host src 127.0.0.1 congctl cubic
  exec java -Dlogback.configurationFile=perf/target/classes/logback.xml -Xms256m -Xmx1g -XX:+UseSerialGC -cp "$1" io.fjordmq.perf.ClusterFigures "${@:2}"
' cluster-figures "$classpath" "$PWD" "${1:-20}" "${2:-1}" "${3:-15}" "${4:-15}" "${5:-one}" ${6:+"$6"}
