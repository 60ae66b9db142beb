#!/usr/bin/env bash
# Measures this broker next to mosquitto on this machine:
#   bin/figures.sh [--only WORK] [--against CHECKOUT] [RUNS] [SECONDS] [WARM_SECONDS]
# WORK is how a heading of the output begins: clean, persistent, shared, fan-out, idle, reconnect, offline, start; CHECKOUT takes mosquitto's place, to see what a change brings.
# Before the first figure each broker gets a minute of load, so that its JVM has compiled what is hot. Idle connections get new brokers for each run.
# Needs mosquitto, iproute2 and the right to make a network namespace: the load runs in one of its own, where loopback uses
# the congestion control "cubic" (some kernels' default paces loopback).
set -euo pipefail
case "${1:-}" in -h | --help) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
number() { # $1 is what the usage calls it
  case "$2" in '' | *[!0-9]*) echo "figures.sh: $1 must be a whole number: '$2'; see --help" >&2; exit 2 ;; esac
}
only='' against=''
while [ $# -gt 0 ]; do
  case "$1" in
    --only | --against) [ $# -ge 2 ] || { echo "figures.sh: $1 needs a value; see --help" >&2; exit 2; } ;;
  esac
  case "$1" in
    --only) only="$2"; shift 2 ;;
    --against) against="$(cd "$2" && pwd)"; shift 2 ;;
    *) break ;;
  esac
done
for value in "$@"; do number 'each of RUNS, SECONDS and WARM_SECONDS' "$value"; done
cd "$(dirname "$0")/.."
for tool in mosquitto ip unshare; do
  command -v "$tool" >/dev/null || { echo "figures.sh: '$tool' is not installed" >&2; exit 2; }
done
mvn -B -q -DskipTests package dependency:build-classpath -Dmdep.outputFile=target/classpath.txt
classpath="perf/target/classes:$(cat perf/target/classpath.txt)"
exec unshare -n bash -c '
  ip link set lo up
  ip route replace local 127.0.0.1 dev lo table local proto kernel scope host src 127.0.0.1 congctl cubic
  exec java -Dlogback.configurationFile=perf/target/classes/logback.xml -Xms256m -Xmx1g -XX:+UseSerialGC -cp "$1" io.fjordmq.perf.Figures "${@:2}"
' figures "$classpath" "$PWD" "$against" "$only" "${1:-5}" "${2:-15}" "${3:-15}"
