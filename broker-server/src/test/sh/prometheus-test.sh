#!/usr/bin/env bash
# Checks the alerts and the example configuration in ops/prometheus with promtool, and runs the tests of the alerts.
# bin/test.sh runs it.
set -uo pipefail
cd "$(dirname "$0")/../../../.." || exit 2

code=0
bin/prometheus.sh check || code=$?
[ "$code" -ne 77 ] || exit 77
[ "$code" -eq 0 ] || { echo 'FAILED: the alerts in ops/prometheus'; exit 1; }

# Invalid calls start nothing.
failures=0
for call in '' x 'start http://a' 'stop x' query; do
  # shellcheck disable=SC2086 # words
  output="$(timeout 60 bin/prometheus.sh $call 2>&1 </dev/null)" && actual=0 || actual=$?
  [ "$actual" -eq 2 ] || { echo "FAILED: prometheus.sh $call exits with $actual instead of 2: $output"; failures=1; }
done
output="$(FJORDMQ_PROMETHEUS_DIR=target/none bin/prometheus.sh status 2>&1)" && actual=0 || actual=$?
[ "$actual" -eq 3 ] && [[ "$output" == *'bin/prometheus.sh start'* ]] \
  || { echo "FAILED: prometheus.sh status exits with $actual: $output"; failures=1; }
[ "$failures" -eq 0 ] || exit 1
echo 'prometheus.sh passed'
