#!/usr/bin/env bash
# Tests bin/fjordmq as operators use it, with a node of its own and data in a temporary directory. bin/test.sh runs it.
set -uo pipefail
cd "$(dirname "$0")/../../../.." || exit 2
unset FJORDMQ_API_URL FJORDMQ_API_KEY FJORDMQ_API_SECRET
folder="$(mktemp -d)"
node=(-c "$folder/node.yml" -d "$folder/node")
failures=0

cleanup() {
  bin/standalone.sh stop "${node[@]}" >/dev/null 2>&1
  rm -rf "$folder"
}
trap cleanup EXIT

# Runs bin/fjordmq: the exit code must be $1, and the output must contain $2.
expect() {
  local code="$1" text="$2" output actual=0
  shift 2
  output="$(bin/fjordmq "$@" 2>&1 </dev/null)" || actual=$?
  if [ "$actual" -eq "$code" ] && [[ "$output" == *"$text"* ]]; then
    echo "ok: fjordmq ${*//$folder\//} -> $code, '$text'"
  else
    echo "FAILED: fjordmq $* -> $actual instead of $code, or without '$text':"
    printf '%s\n' "$output" | sed 's/^/    /'
    failures=$((failures + 1))
  fi
}

# Runs the doctor, whose exit code depends on this machine; its output must contain $1.
expect_doctor() {
  local output
  output="$(bin/fjordmq "${node[@]}" doctor --connections 100 2>&1 </dev/null)" || true
  if [[ "$output" == *STATUS*"$1"* ]]; then
    echo "ok: fjordmq doctor -> '$1'"
  else
    printf 'FAILED: fjordmq doctor, without %s:\n%s\n' "$1" "$output"
    failures=$((failures + 1))
  fi
}

field() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; } # value of a JSON field on standard input

cat >"$folder/node.yml" <<YAML
bootstrap: true
mqttServerConfig:
  tcpListener:
    host: 127.0.0.1
    port: 0
httpConfig:
  port: 0
clusterConfig:
  port: $((20000 + RANDOM % 12000))
YAML

expect 2 "unknown command 'client'; did you mean 'clients'?" client list
expect 2 'configuration file not found' -c "$folder/none.yml" status
expect 2 'credentials missing' --url http://127.0.0.1:1 status
expect 3 'cannot connect' --url http://127.0.0.1:1 --api-key key:secret status
expect 3 "the node is not running or not ready yet (data directory: $folder/node/data)" "${node[@]}" status
expect_doctor $'memory\t'
expect_doctor $'(clusterConfig.port)\tfree'

bin/standalone.sh start "${node[@]}" >"$folder/start" 2>&1 || { cat "$folder/start"; exit 1; }
port="$(sed -n 's/^mqtt=tcp:.*:\([0-9]*\)$/\1/p' "$folder/node/data/fjordmq.pid")"
url="$(sed -n 's/^http=//p' "$folder/node/data/fjordmq.pid")"

expect_doctor $'(clusterConfig.port)\tused by the running node'
expect_doctor 'file descriptors of the running node'
expect 0 'up' "${node[@]}" status --ranges
expect 0 'inbox-' status "${node[@]}" --ranges
expect 0 'tcpListener' "${node[@]}" listeners list
expect 0 '"range":"dist-' "${node[@]}" ranges list --store dist --json
expect 1 "range 'nope-1' does not exist" "${node[@]}" ranges show nope-1
expect 0 'inbox' "${node[@]}" voters
expect 0 '[]' "${node[@]}" clients list --json

# A client connects: CONNECT of MQTT 3.1.1 with the client identifier c1.
exec 4<>"/dev/tcp/127.0.0.1/$port"
printf '\x10\x0e\x00\x04MQTT\x04\x02\x00\x3c\x00\x02c1' >&4
connack="$(head -c 4 <&4 | od -An -tx1 | tr -d ' \n')"
[ "$connack" = 20020000 ] || { echo "FAILED: CONNACK is $connack"; failures=$((failures + 1)); }
expect 0 '"clientid":"c1"' "${node[@]}" clients list --json
expect 0 'c1' "${node[@]}" clients list --conn-state connected
expect 0 '"connected":true' "${node[@]}" clients show c1 --json
expect 1 "client 'c2' does not exist" "${node[@]}" clients show c2
expect 0 "client 'c1' subscribed to 'a/#'" "${node[@]}" subscriptions add c1 a/# --qos 1
expect 0 'a/#' "${node[@]}" subscriptions show c1
expect 0 '"topic":"a/#"' "${node[@]}" subscriptions list --json
expect 0 'a/#' "${node[@]}" topics list
expect 0 "published to 'b': no matching subscribers" "${node[@]}" publish b x
expect 0 "published to 'a/ü'" "${node[@]}" publish a/ü hello --retain
expect 0 'a/ü' "${node[@]}" retained list
expect 0 '"payload":"aGVsbG8="' "${node[@]}" retained show a/ü --json
expect 2 'add --yes' "${node[@]}" retained delete a/ü
expect 0 'deleted the retained message' "${node[@]}" retained delete a/ü --yes
expect 0 "client 'c1' disconnected" "${node[@]}" clients kick c1
expect 0 '[]' "${node[@]}" clients list --json
exec 4>&-

# From another host: API keys and users.
key="$(bin/fjordmq "${node[@]}" api-keys add test --role viewer --for 1h --json)"
export FJORDMQ_API_URL="$url" FJORDMQ_API_KEY FJORDMQ_API_SECRET
FJORDMQ_API_KEY="$(field api_key <<<"$key")"
FJORDMQ_API_SECRET="$(field api_secret <<<"$key")"
expect 0 'up' status
expect 1 'role' publish a x
expect 1 'FJORDMQ_API_SECRET' status --api-key "$FJORDMQ_API_KEY:wrong"
expect 0 "user 'alice' added" "${node[@]}" users add alice --role administrator --password-file <(echo 'secret-password')
expect 0 'alice' --api-key alice:secret-password users list
expect 0 "API key 'test' deleted" --api-key alice:secret-password api-keys del test --yes
expect 1 'FJORDMQ_API_KEY' status
expect 0 'createUser' "${node[@]}" audit list
unset FJORDMQ_API_URL FJORDMQ_API_KEY FJORDMQ_API_SECRET

# Columns in a pipe are separated by tabs.
[ "$(bin/fjordmq "${node[@]}" listeners list | head -n 1 | tr -cd '\t' | wc -c)" -ge 3 ] \
  || { echo 'FAILED: a table in a pipe is not separated by tabs'; failures=$((failures + 1)); }

bin/standalone.sh stop "${node[@]}" >/dev/null
expect 3 'bin/standalone.sh start' "${node[@]}" status

[ "$failures" -eq 0 ] && echo "fjordmq passed" || { echo "fjordmq: $failures failed"; exit 1; }
