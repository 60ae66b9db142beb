#!/usr/bin/env bash
# Unpacks archive $1 into directory $2, and runs a node of installation $3 and its clients: run.sh starts it.
set -Eeuo pipefail
trap 'echo "FAILED: line $LINENO of run-inside.sh: $BASH_COMMAND" >&2; stop' ERR
archive="$1" folder="$2" home="$2/$3"
cd "$folder"

stop() { "$home/bin/standalone.sh" stop "${options[@]}" >/dev/null 2>&1 || true; }
fail() { echo "FAILED: $*" >&2; stop; exit 1; }

# Sets HOST and PORT to the address of listener $1 (tcp, ssl, ...) in output $2 of start.
listener() {
  local address
  address="$(grep -o "$1://[^ ,]*" <<<"$2")" || fail "no $1 listener: $2"
  HOST="${address#*://}"
  PORT="${HOST##*:}" HOST="${HOST%:*}"
  case "$HOST" in 0.0.0.0 | '[::]') HOST=127.0.0.1 ;; esac
}

publish_and_subscribe() { # options of the clients
  local got
  timeout 60 mosquitto_pub -h "$HOST" -p "$PORT" -q 1 -r -t release/test -m works "$@"
  got="$(timeout 60 mosquitto_sub -h "$HOST" -p "$PORT" -q 1 -C 1 -t release/test "$@")"
  [ "$got" = works ] || fail "received '$got'"
}

tar -xzf "$archive"
[ "$("$home/bin/standalone.sh" --version)" = "FjordMQ ${3#fjordmq-}" ] || fail "$("$home/bin/standalone.sh" --version)"

# --- a node as configured, with free ports ------------------------------------------------------------------------
options=()
sed -i -e 's/^\( *port:\) 1883\b/\1 0/' -e 's/^\( *port:\) 18083\b/\1 0/' \
  -e "s/^\( *port:\) 8899\b/\1 $((20000 + RANDOM % 12000))/" "$home/conf/standalone.yml"
output="$("$home/bin/standalone.sh" check 2>&1)" || fail "check: $output"
[[ "$output" == *'configuration is valid'* ]] || fail "check prints: $output"
output="$("$home/bin/standalone.sh" start 2>&1)" || fail "start: $output"
[[ "$output" == 'fjordmq: running: pid '* ]] || fail "start prints: $output"
listener tcp "$output"
publish_and_subscribe
"$home/bin/standalone.sh" status >status || fail "status: $(cat status)"
"$home/bin/fjordmq" status >status || fail "fjordmq status: $(cat status)"
listener http "$output"
for format in text/plain application/openmetrics-text; do
  curl -sS --noproxy '*' -m 20 -H "Accept: $format" "http://$HOST:$PORT/metrics" >metrics || fail "GET /metrics"
  grep -q '^fjordmq_' metrics || fail "/metrics as $format: $(head -n 3 metrics)"
done
[ -d "$home/data" ] && [ -s "$home/logs/fjordmq.log" ] || fail "data and logs are not in the installation"
if [ -x "$home/runtime/bin/java" ]; then
  read -r pid <"$home/data/lock"
  [ "$(readlink -f "/proc/$pid/exe")" = "$home/runtime/bin/java" ] || fail "the node runs $(readlink -f "/proc/$pid/exe")"
fi
output="$("$home/bin/standalone.sh" stop)" || fail "stop: $output"
[[ "$output" == 'fjordmq: stopped'* ]] || fail "stop prints: $output"

# --- build makes nothing but the AOT cache --------------------------------------------------------------------------
output="$("$home/bin/standalone.sh" build 2>&1)" || fail "build: $output"
if compgen -G "$home/cache/*.aot" >/dev/null; then
  [[ "$output" == *training* ]] || fail "build prints: $output"
else
  [[ "$output" == *'nothing to build'* ]] || fail "build prints: $output"
fi

# --- TLS and providers, whose classes and modules nothing above uses --------------------------------------------------
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
  -addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out cert.pem >openssl.log 2>&1 || fail "openssl: $(cat openssl.log)"
echo secret | "$home/bin/passwd.sh" -c passwords alice >passwd.log 2>&1 || fail "passwd.sh: $(cat passwd.log)"
cat >node.yml <<YAML
bootstrap: true
mqttServerConfig:
  tlsListener: {host: 127.0.0.1, port: 0, certFile: $folder/cert.pem, keyFile: $folder/key.pem}
httpConfig: {port: 0}
clusterConfig: {host: 127.0.0.1, port: $((20000 + RANDOM % 12000))}
securityConfig:
  authentication:
    - {type: redis, servers: "127.0.0.1:1", onError: ignore}
    - {type: postgresql, servers: "127.0.0.1:1", database: mqtt, username: a, password: b, onError: ignore}
    - {type: mysql, servers: "127.0.0.1:1", database: mqtt, username: a, password: b, onError: ignore}
    - {type: ldap, servers: "127.0.0.1:1", baseDn: "dc=example", filter: "(uid=\${username})", onError: ignore}
    - {type: http, url: "http://127.0.0.1:1/auth", onError: ignore}
    - {type: jwt, jwksUrl: "http://127.0.0.1:1/keys", onError: ignore}
    - {type: passwordFile, file: $folder/passwords}
YAML
options=(-c "$folder/node.yml" -d "$folder/node")
output="$("$home/bin/standalone.sh" start "${options[@]}" 2>&1)" || fail "start with TLS and providers: $output"
listener '\(ssl\|tls\|mqtts\)' "$output"
publish_and_subscribe --cafile cert.pem -u alice -P secret
! grep -hE 'NoClassDefFound|ClassNotFound|UnsatisfiedLink|ModuleNotFound|NoSuchAlgorithm|ServiceConfiguration' node/logs/* \
  || fail "classes or modules are missing"
for provider in redis postgresql mysql ldap http; do # the password is no token, so jwt has nothing to log
  grep -q "$provider" node/logs/fjordmq.log || fail "the log does not show that provider $provider was used"
done
output="$("$home/bin/standalone.sh" stop "${options[@]}")" || fail "stop: $output"
[[ "$output" == 'fjordmq: stopped'* ]] || fail "stop prints: $output"
