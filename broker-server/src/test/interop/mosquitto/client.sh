#!/usr/bin/env bash
# Mosquitto's command line clients against a running broker: see ../README.md.
# Each check is a function; the broker's address comes from MQTT_HOST and MQTT_PORT.
set -uo pipefail

at=(-h "${MQTT_HOST:-127.0.0.1}" -p "${MQTT_PORT:-1883}")
folder="$(mktemp -d)"
failed=0
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$folder"' EXIT

# Subscribes in the background; waits until the broker has accepted it. $folder/NAME receives the output.
watch() { # name, options of mosquitto_sub
  local name="$1"
  shift
  stdbuf -oL mosquitto_sub "${at[@]}" -d "$@" >"$folder/$name.log" 2>&1 &
  eval "$name=$!"
  for _ in $(seq 200); do
    grep -q '^Subscribed' "$folder/$name.log" && return
    sleep 0.1
  done
  echo "no SUBACK for $name: $(cat "$folder/$name.log")"
  return 1
}

# Compares the output of mosquitto_sub, which exits after its message count (-C) or timeout (-W), with the expected one.
came() { # name, expected
  wait "${!1}"
  is "$2" "$(grep '^got ' "$folder/$1.log")"
}

is() { # expected, actual
  [ "$1" = "$2" ] || { echo "expected '$1' but got '$2'"; return 1; }
}

every_quality_of_service_in_every_version() {
  local version qos watcher
  for version in 31 311 5; do
    for qos in 0 1 2; do
      watch watcher -V "mqttv$version" -q 2 -t "mo/qos/$version/$qos" -C 1 -W 30 -F 'got %q %p' || return
      mosquitto_pub "${at[@]}" -V "mqttv$version" -q "$qos" -t "mo/qos/$version/$qos" -m hello || return
      came watcher "got $qos hello" || return
    done
  done
}

a_file_of_a_thousand_lines_arrives_in_order() {
  local watcher
  seq 1000 >"$folder/lines"
  watch watcher -q 2 -t mo/lines -C 1000 -W 60 -F 'got %p' || return
  mosquitto_pub "${at[@]}" -q 2 -t mo/lines -l <"$folder/lines" || return
  came watcher "$(sed 's/^/got /' "$folder/lines")"
}

a_retained_message_waits_for_subscribers_until_it_is_cleared() {
  local watcher nobody
  mosquitto_pub "${at[@]}" -q 1 -r -t mo/retain -m kept || return
  watch watcher -t 'mo/+' -C 1 -W 30 -F 'got %r %p' || return
  came watcher 'got 1 kept' || return
  mosquitto_pub "${at[@]}" -q 1 -r -t mo/retain -n || return
  watch nobody -t mo/retain -W 1 -F 'got %p' || return
  came nobody ''
}

a_persistent_session_gets_what_came_while_it_was_away() {
  local session=(-i mo-away -c -q 1 -t mo/away)
  mosquitto_sub "${at[@]}" "${session[@]}" -E || return
  seq 10 | mosquitto_pub "${at[@]}" -q 1 -t mo/away -l || return
  is "$(seq 10)" "$(mosquitto_sub "${at[@]}" "${session[@]}" -C 10 -W 30)" || return
  mosquitto_sub "${at[@]}" -i mo-away -q 1 -t mo/away -E
}

a_will_is_published_when_the_client_is_killed() {
  local watcher doomed
  watch watcher -t mo/will -C 1 -W 30 -F 'got %p' || return
  watch doomed -t mo/other --will-topic mo/will --will-payload gone || return
  kill -9 "$doomed"
  wait "$doomed" 2>/dev/null
  came watcher 'got gone'
}

properties_travel_with_the_message() {
  local watcher
  watch watcher -V 5 -t mo/properties -D subscribe subscription-identifier 9 -C 1 -W 30 -F 'got %C %R %P %S %p' || return
  mosquitto_pub "${at[@]}" -V 5 -t mo/properties -m text -D publish content-type text/plain -D publish response-topic mo/answer \
    -D publish user-property a 1 || return
  came watcher 'got text/plain mo/answer a:1 9 text'
}

for check in $(compgen -A function | grep '_.*_.*_'); do
  if why="$("$check" 2>&1)"; then
    echo "ok: ${check//_/ }"
  else
    echo "FAILED: ${check//_/ }: $why"
    failed=1
  fi
done
exit "$failed"
