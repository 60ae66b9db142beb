#!/usr/bin/env bash
# Tests that every script in bin/ answers --help and --version at once and does nothing else. bin/test.sh runs it.
set -uo pipefail
cd "$(dirname "$0")/../../../.." || exit 2
failures=0

fail() {
  echo "FAILED: $1"
  failures=$((failures + 1))
}

version="$(sed -n '/<version>/{s/.*<version>\(.*\)<\/version>.*/\1/p;q;}' pom.xml)"
for script in bin/*.sh bin/fjordmq; do
  [ -x "$script" ] || continue # lib.sh is sourced, not executed
  # Builds and measurements start one of these tools; --help and --version must not.
  guard="$(mktemp -d)"
  for tool in mvn java unshare mosquitto; do
    printf '#!/bin/sh\necho started %s >>"%s/started"\nexit 1\n' "$tool" "$guard" >"$guard/$tool"
    chmod +x "$guard/$tool"
  done
  code=0
  output="$(PATH="$guard:$PATH" timeout 60 "$script" --help 2>&1 </dev/null)" || code=$?
  [ "$code" -eq 0 ] || fail "$script --help exits with $code: $output"
  [[ "$output" == 'Usage:'*"$script"* ]] || fail "$script --help does not begin with its usage: $output"
  code=0
  output="$(PATH="$guard:$PATH" timeout 60 "$script" --version 2>&1 </dev/null)" || code=$?
  [ "$code" -eq 0 ] && [ "$output" = "FjordMQ $version" ] || fail "$script --version exits with $code: $output"
  [ ! -e "$guard/started" ] || fail "$script --help or --version: $(cat "$guard/started")"
  rm -rf "$guard"
done

# The list of scenarios starts no build, neither in a new clone nor when the sources are newer than the build.
guard="$(mktemp -d)"
mkdir -p "$guard/clone/perf"
cp -r bin pom.xml "$guard/clone/"
cp -r perf/scenarios perf/src "$guard/clone/perf/"
printf '#!/bin/sh\necho started >"%s/started"\nexit 1\n' "$guard" >"$guard/mvn"
chmod +x "$guard/mvn"
for script in bin/perf.sh "$guard/clone/bin/perf.sh"; do
  code=0
  output="$(PATH="$guard:$PATH" timeout 60 "$script" --list 2>&1 </dev/null)" || code=$?
  [ "$code" -eq 0 ] && [[ "$output" == *_1n* ]] || fail "$script --list exits with $code: $output"
  [ ! -e "$guard/started" ] || fail "$script --list starts a build"
done
rm -rf "$guard"

# A typing error must not start minutes of work either.
for call in 'fjordmq -c' 'fuzz.sh x' 'perf.sh x' 'perf.sh record x' 'perf.sh replay x' 'cluster.sh start x'; do
  code=0
  # shellcheck disable=SC2086 # words
  output="$(timeout 60 bin/$call 2>&1 </dev/null)" || code=$?
  [ "$code" -eq 2 ] || fail "bin/$call exits with $code instead of 2: $output"
done

[ "$failures" -eq 0 ] && echo "help passed" || { echo "help: $failures failed"; exit 1; }
