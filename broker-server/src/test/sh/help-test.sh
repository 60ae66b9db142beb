#!/usr/bin/env bash
# Tests that every script of bin/ explains itself at once, and does nothing else, when asked with --help. bin/test.sh runs it.
set -uo pipefail
cd "$(dirname "$0")/../../../.." || exit 2
failures=0

fail() {
  echo "FAILED: $1"
  failures=$((failures + 1))
}

for script in bin/*.sh; do
  # Anything that builds or measures needs one of these; none of them may be started.
  guard="$(mktemp -d)"
  for tool in mvn java unshare mosquitto; do
    printf '#!/bin/sh\necho started %s >>"%s/started"\nexit 1\n' "$tool" "$guard" >"$guard/$tool"
    chmod +x "$guard/$tool"
  done
  code=0
  output="$(PATH="$guard:$PATH" timeout 60 "$script" --help 2>&1 </dev/null)" || code=$?
  [ "$code" -eq 0 ] || fail "$script --help ends with $code: $output"
  [[ "$output" == *"$script"* ]] || fail "$script --help does not show how it is called: $output"
  [ ! -e "$guard/started" ] || fail "$script --help: $(cat "$guard/started")"
  rm -rf "$guard"
done

# A slip of the keys must not start minutes of work either.
for call in 'figures.sh x' 'cluster-figures.sh x' 'security-costs.sh x' 'tls-storm.sh x' 'fairness.sh x' 'fuzz.sh x' 'perf.sh x' 'cluster.sh start x'; do
  code=0
  # shellcheck disable=SC2086 # words
  output="$(timeout 60 bin/$call 2>&1 </dev/null)" || code=$?
  [ "$code" -eq 2 ] || fail "bin/$call ends with $code instead of 2: $output"
done

[ "$failures" -eq 0 ] && echo "help passed" || { echo "help: $failures failed"; exit 1; }
