#!/usr/bin/env bash
# Runs every test and check: bin/test.sh [--fast] [options of Maven]. Needs a JDK (17 or newer) and Maven 3.8.
#
# First everything is compiled and checked (Error Prone, null checks, format, rules of the house) with the tests that take
# seconds; then bin/standalone.sh itself; then what takes longer: clients in other languages (bin/interop.sh), a short
# search for inputs that break it (bin/fuzz.sh), a cluster under faults (bin/chaos.sh), simulations, kill -9. --fast leaves
# that part out.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

case "${1:-}" in -h | --help) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
slow=yes
if [ "${1:-}" = --fast ]; then
  slow=no
  shift
fi
command -v mvn >/dev/null || { echo "test.sh: there is no 'mvn'; install Maven 3.8 or newer" >&2; exit 2; }

rm -rf ./*/target/surefire-reports
mkdir -p target
started=$SECONDS
failed=()

step() { # name, arguments of Maven
  local name="$1" from=$SECONDS
  shift
  echo "== $name"
  mvn -B -ntp -fae -Dsurefire.reportNameSuffix="$name" "$@" 2>&1 | tee "target/test-$name.log" || failed+=("$name")
  # Netty looks for buffers that nobody released, in all tests, and tells its log.
  if grep -q 'LEAK: ' "target/test-$name.log"; then
    failed+=("$name-leak")
  fi
  echo "== $name took $((SECONDS - from)) s"
}

step fast verify -DexcludedGroups=slow "$@"
echo "== script"
for script in broker-server/src/test/sh/*-test.sh; do
  "$script" || failed+=("$(basename "$script" .sh)")
done
if [ "$slow" = yes ]; then
  echo "== interop"
  bin/interop.sh || failed+=(interop)
  echo "== fuzz"
  bin/fuzz.sh all 15 || failed+=(fuzz)
  echo "== chaos"
  chaos=0
  bin/chaos.sh 45 || chaos=$?
  [ "$chaos" -eq 0 ] || [ "$chaos" -eq 77 ] || failed+=(chaos) # 77: this machine cannot
  step slow test -Dgroups=slow "$@"
fi

# The reports know more than Maven's last lines: counts of all modules, what failed, what took longest.
awk -v seconds="$((SECONDS - started))" -v failed="${failed[*]:-}" '
  function attribute(name,   at, rest) {
    at = index($0, " " name "=\"")
    if (!at) return ""
    rest = substr($0, at + length(name) + 3)
    return substr(rest, 1, index(rest, "\"") - 1)
  }
  /^<testsuite / {
    tests += attribute("tests"); skipped += attribute("skipped")
    bad = attribute("errors") + attribute("failures")
    if (bad) { broken = broken "  " attribute("name") ": " bad "\n"; wrong += bad }
    if (attribute("time") + 0 > longest) { longest = attribute("time") + 0; slowest = attribute("name") }
  }
  END {
    printf "\n== %d tests, %d failed, %d skipped, %d s; the longest was %s with %d s\n", tests, wrong, skipped, seconds, slowest, longest
    if (broken) printf "== failed:\n%s", broken
    if (failed) printf "== NOT PASSED: %s (look above for compile and format errors)\n", failed
    else if (!tests) { print "== NOT PASSED: no test ran"; exit 1 }
    else print "== PASSED"
  }
' ./*/target/surefire-reports/TEST-*.xml </dev/null || exit 1
[ ${#failed[@]} -eq 0 ]
