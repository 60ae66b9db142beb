#!/usr/bin/env bash
# Measures what being safe costs: bin/security-costs.sh [RUNS] [SECONDS] [WHAT]
# WHAT is rules (the access rules of a message; SECONDS of load), logins (with a password), idle (memory of an idle TLS connection) or all.
# Needs iproute2 and the right to make a network namespace; the load runs in one of its own, as in bin/figures.sh.
set -euo pipefail
case "${1:-}" in -h | --help) sed -n '2,4s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
number() { # $1 is what the usage calls it
  case "$2" in '' | *[!0-9]*) echo "security-costs.sh: $1 must be a whole number: '$2'; see --help" >&2; exit 2 ;; esac
}
for value in "${@:1:2}"; do number 'each of RUNS and SECONDS' "$value"; done
cd "$(dirname "$0")/.."
for tool in ip unshare; do
  command -v "$tool" >/dev/null || { echo "security-costs.sh: '$tool' is not installed" >&2; exit 2; }
done
mvn -B -q -DskipTests package dependency:build-classpath -Dmdep.outputFile=target/classpath.txt
classpath="perf/target/classes:$(cat perf/target/classpath.txt)"
exec unshare -n bash -c '
  ip link set lo up
  ip route replace local 127.0.0.1 dev lo table local proto kernel scope host src 127.0.0.1 congctl cubic
  exec java -Dlogback.configurationFile=perf/target/classes/logback.xml -Xms256m -Xmx1g -XX:+UseSerialGC -cp "$1" io.fjordmq.perf.SecurityCosts "$2" "$3" "$4" "$5"
' security-costs "$classpath" "$PWD" "${1:-5}" "${2:-10}" "${3:-all}"
