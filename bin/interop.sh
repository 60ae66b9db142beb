#!/usr/bin/env bash
# Runs clients that are not ours, in their own languages, against a broker: bin/interop.sh [LANGUAGE ...]
#
# Languages: python javascript go rust mosquitto; all without arguments. One that this machine does not have is skipped, and
# that is said. Clients install what they need from their own registries below broker-server/target/interop. The broker is
# started for it, on ports the system chooses, and stopped again; MQTT_HOST, MQTT_PORT and, for WebSocket, MQTT_WS_PORT name
# another one instead.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
sources="$PWD/broker-server/src/test/interop"
work="$PWD/broker-server/target/interop"
seconds=300 # one client may take so long, its installation as long again
passed=0
failed=0
skipped=0

case "${1:-}" in -h | --help) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
languages=("$@")
[ $# -gt 0 ] || languages=(python javascript go rust mosquitto)

has() { command -v "$1" >/dev/null; }

# Each of these makes the client of a language in the current folder, which is a copy of its sources, and sets $client.

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

# Debian's packages are unpacked here rather than installed, unless they are installed.
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

run() { # language
  local language="$1" output code=0
  if [ ! -d "$sources/$language" ]; then
    echo "interop.sh: there is no client for '$language'" >&2
    exit 2
  fi
  mkdir -p "$work/$language"
  cp -r "$sources/$language/." "$work/$language"
  output="$(
    cd "$work/$language" || exit 1
    missing=''
    client=()
    "$language" || { echo "FAILED: the client could not be built"; exit 1; }
    if [ -n "$missing" ]; then
      echo "skipped: this machine has no $missing"
      exit 0
    fi
    timeout "$seconds" "${client[@]}" 2>&1
    code=$?
    [ "$code" -ne 124 ] || echo "FAILED: not done after $seconds s"
    exit "$code"
  )" || code=$?
  printf '%s\n' "$output" | sed "s/^/$language  /"
  passed=$((passed + $(grep -c '^ok: ' <<<"$output")))
  skipped=$((skipped + $(grep -c '^skipped: ' <<<"$output")))
  failed=$((failed + $(grep -c '^FAILED: ' <<<"$output")))
  # A client that breaks off has no line that says so.
  [ "$code" -eq 0 ] || grep -q '^FAILED: ' <<<"$output" || failed=$((failed + 1))
}

stop() { bin/standalone.sh stop -c "$work/broker.yml" -d "$work/broker" >/dev/null; }

port() { # scheme, what the start said
  sed -n "s|.* $1://127.0.0.1:\([0-9]*\).*|\1|p" <<<"$2"
}

start() {
  local answer
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
YAML
  answer="$(bin/standalone.sh start -c "$work/broker.yml" -d "$work/broker" 2>&1)" || { echo "$answer" >&2; exit 1; }
  trap stop EXIT
  export MQTT_HOST=127.0.0.1
  MQTT_PORT="$(port tcp "$answer")"
  MQTT_WS_PORT="$(port ws "$answer")"
  export MQTT_PORT MQTT_WS_PORT
  [ -n "$MQTT_PORT" ] && [ -n "$MQTT_WS_PORT" ] || { echo "interop.sh: no port in: $answer" >&2; exit 1; }
}

[ -n "${MQTT_PORT:-}" ] || start
for language in "${languages[@]}"; do
  run "$language"
done
echo "interop: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ $((passed + skipped)) -gt 0 ]
