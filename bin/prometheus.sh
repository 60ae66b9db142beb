#!/usr/bin/env bash
# Usage: bin/prometheus.sh COMMAND [ARGUMENT]...
#
# Runs Prometheus on this host with the alerts in ops/prometheus, to try alerts and dashboards with a local cluster.
# docs/MONITORING.md explains how to monitor a real cluster.
#
# Commands:
#   start [TARGET]...   start Prometheus in the background, or restart it with other targets. TARGET is the address of
#                       the HTTP port of a node, such as 127.0.0.1:18083 (default: the running nodes of bin/cluster.sh
#                       or, if there are none, the node of bin/standalone.sh)
#   status              show the address of Prometheus, its targets, and the alerts that are pending or firing
#   query EXPRESSION    print the current value of a PromQL expression
#   stop                stop Prometheus; its data remain
#   check               check the files in ops/prometheus with promtool, and run the tests of the alerts
#
# Options:
#   -h, --help          print this help
#   --version           print the version
#
# The script uses prometheus and promtool in PATH. If they are not installed, it downloads Debian's package with apt-get
# and unpacks it in its own directory. The web page of an unpacked package has no graphs; its HTTP API works.
#
# Environment:
#   FJORDMQ_PROMETHEUS_DIR      directory for program, data and log (default: target/prometheus in the FjordMQ directory)
#   FJORDMQ_PROMETHEUS_PORT     port on 127.0.0.1 (default: 19090)
#   FJORDMQ_PROMETHEUS_SECONDS  interval between scrapes and between evaluations of alerts (default: 5)
#   FJORDMQ_CLUSTER_DIR         directory of the cluster, as for bin/cluster.sh
#
# Examples:
#   bin/cluster.sh start 3 && bin/prometheus.sh start
#   bin/prometheus.sh query 'sum(fjordmq_connections)'
#   bin/prometheus.sh start 127.0.0.1:18083
#
# Exit codes:
#   0   success
#   1   failure; the message gives the reason
#   2   invalid usage
#   3   status and query: Prometheus is not running
#   77  there is no Prometheus on this host, and it cannot be downloaded
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

FOLDER="${FJORDMQ_PROMETHEUS_DIR:-$HOME_DIR/target/prometheus}"
PORT="${FJORDMQ_PROMETHEUS_PORT:-19090}"
INTERVAL="${FJORDMQ_PROMETHEUS_SECONDS:-5}"
CLUSTER="${FJORDMQ_CLUSTER_DIR:-$HOME_DIR/cluster}"
RULES="$HOME_DIR/ops/prometheus"

tell() { printf '%s: %s\n' "$SCRIPT_NAME" "$*"; }

# Sets PROMETHEUS and PROMTOOL.
find_programs() {
  PROMETHEUS="$(command -v prometheus || true)" PROMTOOL="$(command -v promtool || true)"
  [ -z "$PROMETHEUS" ] || [ -z "$PROMTOOL" ] || return 0
  PROMETHEUS="$FOLDER/package/usr/bin/prometheus" PROMTOOL="$FOLDER/package/usr/bin/promtool"
  [ ! -x "$PROMTOOL" ] || return 0
  command -v apt-get >/dev/null && command -v dpkg >/dev/null \
    || fail "Prometheus is not installed; install it (Debian package: prometheus)" 77
  mkdir -p "$FOLDER/download"
  (
    cd "$FOLDER/download"
    apt-get -q download prometheus || { [ "$(id -u)" = 0 ] && apt-get -q update && apt-get -q download prometheus; }
  ) >"$FOLDER/download.log" 2>&1 \
    || fail "cannot download the package 'prometheus' (see $FOLDER/download.log); install Prometheus" 77
  for package in "$FOLDER"/download/prometheus_*.deb; do dpkg -x "$package" "$FOLDER/package"; done
  rm -r "$FOLDER/download"
  [ -x "$PROMTOOL" ] || fail "the Prometheus package contains no promtool; install Prometheus" 77
}

# Prints the HTTP address and the name of each running node of the local cluster, or of the node in the default
# directory.
local_targets() {
  local file found=no
  for file in "$CLUSTER"/node[1-9]/data/fjordmq.pid; do
    [ -f "$file" ] || continue
    found=yes
    target_of "$file" "$(basename "${file%/data/fjordmq.pid}")"
  done
  [ "$found" = yes ] || [ ! -f "$HOME_DIR/data/fjordmq.pid" ] || target_of "$HOME_DIR/data/fjordmq.pid" standalone
}

target_of() { # file of a ready node $1, its name $2
  local url
  url="$(sed -n 's/^http=//p' "$1")"
  case "$url" in
    http://*) printf '%s %s\n' "${url#http://}" "$2" ;;
    *) tell "node $2 is not scraped, because its HTTP port uses TLS: $url; see docs/MONITORING.md" >&2 ;;
  esac
}

running() { # prints the process id of Prometheus
  local pid
  { read -r pid <"$FOLDER/pid"; } 2>/dev/null || return 1
  # Another process may have the number after a crash or a restart of the host.
  [ "$(tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -c -- "--config.file=$FOLDER/prometheus.yml ")" = 1 ] || return 1
  printf '%s' "$pid"
}

write_configuration() { # lines with an address and a name on standard input
  local address name
  printf 'global:\n  scrape_interval: %ss\n  evaluation_interval: %ss\n' "$INTERVAL" "$INTERVAL"
  printf 'rule_files:\n  - "%s/alerts.yml"\n' "$RULES"
  printf 'scrape_configs:\n  - job_name: fjordmq\n    static_configs:\n'
  while read -r address name; do
    printf '      - targets: ["%s"]\n        labels: { instance: "%s" }\n' "$address" "$name"
  done
}

start() {
  local targets pid deadline
  if [ $# -gt 0 ]; then
    targets="$(for target in "$@"; do printf '%s %s\n' "$target" "$target"; done)"
    case "$targets" in *[!A-Za-z0-9.:_$' \n'-]* | *://*) fail "TARGET must be HOST:PORT, not '$*'; see --help" ;; esac
  else
    targets="$(local_targets)"
    [ -n "$targets" ] || fail "no running node found in $CLUSTER or $HOME_DIR/data; start one with bin/cluster.sh or bin/standalone.sh, or name a TARGET" 1
  fi
  find_programs
  stop >/dev/null
  mkdir -p "$FOLDER"
  write_configuration <<<"$targets" >"$FOLDER/prometheus.yml"
  nohup "$PROMETHEUS" "--config.file=$FOLDER/prometheus.yml" "--storage.tsdb.path=$FOLDER/data" \
    --storage.tsdb.retention.time=7d --storage.tsdb.retention.size=1GB \
    "--web.listen-address=127.0.0.1:$PORT" >"$FOLDER/log" 2>&1 </dev/null &
  pid=$!
  disown "$pid"
  printf '%s\n' "$pid" >"$FOLDER/pid"
  deadline=$((SECONDS + 60))
  until "$PROMTOOL" query instant "http://127.0.0.1:$PORT" 1 >/dev/null 2>&1; do
    kill -0 "$pid" 2>/dev/null || { tail -n 5 "$FOLDER/log" >&2; fail "Prometheus exited; see the messages above and $FOLDER/log" 1; }
    [ "$SECONDS" -lt "$deadline" ] || fail "Prometheus is not ready after 60 s; see $FOLDER/log" 1
    sleep 0.2
  done
  tell "running: http://127.0.0.1:$PORT, pid $pid, scraping $(cut -d ' ' -f 2 <<<"$targets" | paste -s -d ' ' -) every $INTERVAL s"
}

stop() {
  local pid deadline=$((SECONDS + 30))
  pid="$(running)" || { tell 'not running'; return 0; }
  kill "$pid"
  while kill -0 "$pid" 2>/dev/null; do
    [ "$SECONDS" -lt "$deadline" ] || fail "pid $pid has not stopped after 30 s; see $FOLDER/log" 1
    sleep 0.1
  done
  rm -f "$FOLDER/pid"
  tell "stopped: pid $pid"
}

require_running() {
  running >/dev/null || fail "Prometheus is not running; start it with 'bin/prometheus.sh start'" 3
}

status() {
  require_running
  find_programs
  tell "running: http://127.0.0.1:$PORT, pid $(running), data in $FOLDER/data"
  tell 'targets (1: reachable):'
  "$PROMTOOL" query instant "http://127.0.0.1:$PORT" up
  tell 'alerts:'
  "$PROMTOOL" query instant "http://127.0.0.1:$PORT" ALERTS
}

check() {
  find_programs
  "$PROMTOOL" check config --syntax-only "$RULES/prometheus.yml"
  "$PROMTOOL" check rules "$RULES/alerts.yml"
  "$PROMTOOL" test rules "$RULES"/*_test.yml
}

handle_help_and_version "$@"
require_number FJORDMQ_PROMETHEUS_PORT "$PORT"
require_number FJORDMQ_PROMETHEUS_SECONDS "$INTERVAL"
[ $# -gt 0 ] || { header_help >&2; exit 2; }
command="$1"
shift
case "$command" in
  start) start "$@" ;;
  stop | status | check) [ $# -eq 0 ] || fail "$command has no arguments; see --help"; "$command" ;;
  query)
    [ $# -eq 1 ] || fail "query requires exactly one expression; quote it"
    require_running
    find_programs
    "$PROMTOOL" query instant "http://127.0.0.1:$PORT" "$1"
    ;;
  *) fail "unknown command '$command'; see --help" ;;
esac
