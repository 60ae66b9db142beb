#!/usr/bin/env bash
# Usage: bin/interop.sh [LANGUAGE]...
#
# Runs third-party MQTT clients in several languages, and a tester of REST APIs, against a broker. Every client installs
# its dependencies from its own registry under broker-server/target/interop. The script starts a broker on free ports
# and stops it at the end, unless the environment names a running broker.
#
#   LANGUAGE       python, javascript, go, rust, mosquitto or schemathesis (default: all). Languages that are not
#                  installed on this host are reported as skipped. schemathesis tests the REST API.
#
# Options:
#   -h, --help     print this help
#   --version      print the version
#
# Environment:
#   MQTT_PORT      port of a running broker to test
#   MQTT_HOST      address of this broker
#   MQTT_WS_PORT   WebSocket port of this broker
#   API_URL        URL of the HTTP port of this broker
#   API_TOKEN      token of an administrator
#
# Examples:
#   bin/interop.sh python go
#   MQTT_HOST=127.0.0.1 MQTT_PORT=1883 bin/interop.sh
#
# Exit codes:
#   0   no test failed, and at least one test ran or was skipped
#   1   a test failed, or the broker did not start
#   2   unknown language
set -uo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
handle_help_and_version "$@"
cd "$HOME_DIR" || exit 2
sources="$PWD/broker-server/src/test/interop"
work="$PWD/broker-server/target/interop"
seconds=300 # limit for the run of one client
passed=0
failed=0
skipped=0

languages=("$@")
[ $# -gt 0 ] || languages=(python javascript go rust mosquitto schemathesis)

has() { command -v "$1" >/dev/null; }

# Each of these functions builds the client of a language in the current directory, a copy of its sources, and sets
# $client. If a tool is not installed, the function sets $missing instead.

python() {
  has python3 || { missing=python3; return; }
  python3 -m venv venv && venv/bin/pip install -q --disable-pip-version-check -r requirements.txt
  client=(venv/bin/python client.py)
}

javascript() {
  has npm || { missing=npm; return; }
  npm install --no-audit --no-fund --no-package-lock --loglevel=error
  client=(node client.js)
}

go() {
  has go || { missing=go; return; }
  command go build -o client .
  client=(./client)
}

rust() {
  has cargo || { missing=cargo; return; }
  cargo build -q --target-dir build
  client=(build/debug/fjordmq-interop)
}

# Without an installed mosquitto, Debian's packages are unpacked here rather than installed.
mosquitto() {
  if ! has mosquitto_sub || ! has mosquitto_pub; then
    has apt-get && has dpkg || { missing=mosquitto_sub; return; }
    [ "$(id -u)" != 0 ] || apt-get -q update >apt.log 2>&1
    apt-get -q download mosquitto-clients libmosquitto1 libcjson1 >>apt.log 2>&1 || { cat apt.log; return 1; }
    for package in *.deb; do dpkg -x "$package" root || return; done
    export PATH="$PWD/root/usr/bin:$PATH"
    LD_LIBRARY_PATH="$(printf '%s:' "$PWD"/root/usr/lib/*-linux-gnu)${LD_LIBRARY_PATH:-}"
    export LD_LIBRARY_PATH
  fi
  client=(./client.sh)
}

schemathesis() {
  has python3 || { missing=python3; return; }
  python3 -m venv venv && venv/bin/pip install -q --disable-pip-version-check -r requirements.txt
  client=(./client.sh)
}

run() { # language
  local language="$1" output code=0
  if [ ! -d "$sources/$language" ]; then
    fail "no client for language '$language'; see --help"
  fi
  mkdir -p "$work/$language"
  cp -r "$sources/$language/." "$work/$language"
  output="$(
    cd "$work/$language" || exit 1
    missing=''
    client=()
    "$language" || { echo "FAILED: cannot build the client"; exit 1; }
    if [ -n "$missing" ]; then
      echo "skipped: $missing is not installed"
      exit 0
    fi
    timeout "$seconds" "${client[@]}" 2>&1
    code=$?
    [ "$code" -ne 124 ] || echo "FAILED: client did not finish within $seconds s"
    exit "$code"
  )" || code=$?
  printf '%s\n' "$output" | sed "s/^/$language  /"
  passed=$((passed + $(grep -c '^ok: ' <<<"$output")))
  skipped=$((skipped + $(grep -c '^skipped: ' <<<"$output")))
  failed=$((failed + $(grep -c '^FAILED: ' <<<"$output")))
  # A client that crashes does not print a FAILED line.
  [ "$code" -eq 0 ] || grep -q '^FAILED: ' <<<"$output" || failed=$((failed + 1))
}

stop() { bin/standalone.sh stop -c "$work/broker.yml" -d "$work/broker" >/dev/null; }

port() { # scheme, output of the start
  sed -n "s|.* $1://127.0.0.1:\([0-9]*\).*|\1|p" <<<"$2"
}

api() { # a value of the file with which tools on this host use the API
  sed -n 's|.*"'"$1"'":"\([^"]*\)".*|\1|p' "$work/broker/data/control/api.json"
}

start() {
  local output
  mkdir -p "$work"
  rm -rf "$work/broker"
  cat >"$work/broker.yml" <<'YAML'
bootstrap: true
mqttServerConfig:
  tcpListener:
    host: 127.0.0.1
    port: 0
  wsListener:
    host: 127.0.0.1
    port: 0
httpConfig:
  port: 0
apiConfig:
  maxLoginFailures: 0   # schemathesis sends many invalid credentials and expects 401
YAML
  output="$(bin/standalone.sh start -c "$work/broker.yml" -d "$work/broker" 2>&1)" || { echo "$output" >&2; exit 1; }
  trap stop EXIT
  export MQTT_HOST=127.0.0.1
  MQTT_PORT="$(port tcp "$output")"
  MQTT_WS_PORT="$(port ws "$output")"
  export MQTT_PORT MQTT_WS_PORT
  API_URL="$(api url)"
  API_TOKEN="$(api token)"
  export API_URL API_TOKEN
  [ -n "$MQTT_PORT" ] && [ -n "$MQTT_WS_PORT" ] || fail "no MQTT or WebSocket port in the output of standalone.sh: $output" 1
}

[ -n "${MQTT_PORT:-}" ] || start
for language in "${languages[@]}"; do
  run "$language"
done
echo "interop: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ $((passed + skipped)) -gt 0 ]
