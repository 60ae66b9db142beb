#!/usr/bin/env bash
# Tests the dashboards and alerts in ops/ with a real Prometheus: starts three nodes, loads them for a minute with clients
# of all kinds (load.py), and runs every query of every dashboard (panels.py). bin/test.sh runs it.
#
# Exit codes: 0 passed, 1 failed, 77 not run because there is no Python, or no Prometheus.
set -uo pipefail
cd "$(dirname "$0")/../../../.." || exit 2
seconds="${1:-60}"
tests=broker-server/src/test/dashboards
command -v python3 >/dev/null || { echo "dashboards: not run, because 'python3' is not installed"; exit 77; }
folder="$(mktemp -d)"
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
export FJORDMQ_CLUSTER_DIR="$folder/cluster" FJORDMQ_PROMETHEUS_DIR="$PWD/target/prometheus"
export FJORDMQ_PROMETHEUS_SECONDS=2 FJORDMQ_PROMETHEUS_PORT
FJORDMQ_PROMETHEUS_PORT="$(free_port)"
export FJORDMQ_RANGECONFIG__CHECKPOINTINTERVAL='5 s' # a checkpoint within the minute

cleanup() {
  bin/prometheus.sh stop >/dev/null
  bin/cluster.sh remove >/dev/null
  rm -rf "$folder" "$FJORDMQ_PROMETHEUS_DIR/data"
}
trap cleanup EXIT

# Ports that no other cluster on this host uses.
base=$((20000 + RANDOM % 1200 * 10))
for node in 1 2 3; do
  mkdir -p "$FJORDMQ_CLUSTER_DIR/node$node"
  cat >"$FJORDMQ_CLUSTER_DIR/node$node/node.yml" <<YAML
bootstrap: $([ $node = 1 ] && echo true || echo false)
mqttServerConfig:
  tcpListener:
    host: 127.0.0.1
    port: 0
httpConfig:
  port: 0
clusterConfig:
  env: Dashboards
  host: 127.0.0.1
  port: $((base + 2 * node))
  seedEndpoints: 127.0.0.1:$((base + 2))
YAML
done

bin/cluster.sh start 3 || exit 1
bin/prometheus.sh start || exit $?
ports="$(sed -n 's/^mqtt=tcp:.*:\([0-9]*\)$/\1/p' "$FJORDMQ_CLUSTER_DIR"/node?/data/fjordmq.pid)"
# shellcheck disable=SC2086 # words
python3 "$tests/load.py" "$seconds" $ports || exit 1
python3 "$tests/panels.py" "http://127.0.0.1:$FJORDMQ_PROMETHEUS_PORT" ops/grafana "$tests/empty.txt" || exit 1
echo 'dashboards passed'
