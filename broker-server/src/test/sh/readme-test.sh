#!/usr/bin/env bash
# Runs the commands of README.md, in its order, in an installation of its own: the quick start and the password
# protection, which must survive a plain restart. bin/test.sh runs it.
set -uo pipefail
cd "$(dirname "$0")/../../../.." || exit 2
. broker-server/src/test/sh/installation.sh
readme="$PWD/README.md"
folder="$(mktemp -d)"
home="$folder/home"
failures=0
subscriber=

cleanup() {
  [ -z "$subscriber" ] || kill "$subscriber" 2>/dev/null
  "$home/bin/standalone.sh" stop >/dev/null 2>&1
  rm -rf "$folder"
}
trap cleanup EXIT

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# Prints the lines of the code blocks in section $1 of README.md that begin with $2.
lines() {
  local found
  found="$(awk -v title="## $1" -v start="$2" '
    /^## / { inside = $0 == title }
    /^```/ { code = !code; next }
    inside && code && index($0, start) == 1' "$readme")"
  printf '%s\n' "$found"
}

# Runs command $1 in the installation. Nothing from the environment helps, as in a new login.
run() {
  local output
  [ -n "$1" ] || { fail 'README.md has no such command'; return; }
  echo "  $1"
  output="$(cd "$home" && env -i PATH="$PATH" HOME="$folder" bash -c "$1" 2>&1)" || fail "'$1' exits with $?: $output"
}

port() { sed -n 's/^mqtt=tcp:.*:\([0-9]*\)$/\1/p' "$home/data/fjordmq.pid"; }

# Prints the reason code of the CONNACK for user $1 with password $2, or for a client without credentials.
connack() {
  local flags='\x02' rest='' length=13 # clean session; client identifier 'r'
  if [ $# -eq 2 ]; then
    flags='\xc2'
    rest="\\x00\\x$(printf %02x ${#1})$1\\x00\\x$(printf %02x ${#2})$2"
    length=$((length + 4 + ${#1} + ${#2}))
  fi
  exec 3<>"/dev/tcp/127.0.0.1/$(port)" || return
  printf "\\x10\\x$(printf %02x "$length")\\x00\\x04MQTT\\x04$flags\\x00\\x3c\\x00\\x01r$rest" >&3
  timeout 20 head -c 4 <&3 | od -An -tu1 | awk '{ print $4 }'
  exec 3>&-
}

install_into "$home" || exit 2

run "$(lines 'Quick start' bin/standalone.sh)"
[ "$(connack)" = 0 ] || fail 'a client of this host cannot connect after the quick start'

# The port of this test is not the default.
if command -v mosquitto_sub >/dev/null && command -v mosquitto_pub >/dev/null; then
  subscribe="$(lines 'Quick start' mosquitto_sub)"
  publish="$(lines 'Quick start' mosquitto_pub) -p $(port)"
  bash -c "exec ${subscribe%&} -p $(port)" >"$folder/received" &
  subscriber=$!
  for ((attempt = 0; attempt < 100; attempt++)); do # until the subscription exists
    bash -c "$publish" || break
    ! grep -q 'site/1/temperature 21.5' "$folder/received" || break
    sleep 0.1
  done
  grep -q '^site/1/temperature 21.5$' "$folder/received" || fail "the message of the quick start did not arrive: $(cat "$folder/received")"
  kill "$subscriber"
  subscriber=
else
  echo 'readme-test.sh: the quick start of mosquitto_pub is skipped, because it is not installed'
fi

# The line that README.md shows belongs into the section of the shipped file that has the same name.
passwd="$(lines 'Password protection' bin/passwd.sh)"
run "${passwd:+printf 'wonderland\n' | $passwd}"
key="$(lines 'Password protection' '  passwordFile:')"
section="$(lines 'Password protection' securityConfig:)"
awk -v section="$section" -v line="$key" '
  /^[a-zA-Z]/ { inside = index($0, section) == 1 }
  inside && index($0, "  passwordFile:") == 1 { print line; next }
  { print }' "$home/conf/standalone.yml" >"$folder/edited.yml"
[ -n "$key" ] && grep -qxF "$key" "$folder/edited.yml" || fail 'conf/standalone.yml has no securityConfig.passwordFile'
cp "$folder/edited.yml" "$home/conf/standalone.yml"
restart="$(sed -n '/^## Password protection/,/^## A cluster/s/.*then run `\(bin[^`]*\)`.*/\1/p' "$readme")"
[ -n "$restart" ] || fail 'README.md does not name the command that follows the change of the file'

# A plain restart, and the start after a stop, must not end the protection.
for command in "$restart" 'bin/standalone.sh restart' 'bin/standalone.sh stop' "$(lines 'Quick start' bin/standalone.sh)"; do
  run "$command"
  [ "$command" != 'bin/standalone.sh stop' ] || continue
  [ "$(connack)" = 5 ] || fail "a client without a password is not refused after '$command'"
  [ "$(connack alice rabbit)" = 4 ] || fail "a wrong password is not refused after '$command'"
  [ "$(connack alice wonderland)" = 0 ] || fail "alice cannot connect after '$command'"
done

[ "$failures" -eq 0 ] && echo 'README.md passed' || { echo "README.md: $failures failed"; exit 1; }
