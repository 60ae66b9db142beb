#!/usr/bin/env bash
# Usage: bin/test.sh [--fast] [MAVEN_OPTION]...
#
# Runs all tests and checks. Requires a JDK 17 or newer and Maven 3.8 or newer.
#
# The script runs these steps and ends with a summary:
#   fast         compile with Error Prone, null checks, format and architecture rules; run the tests that take seconds;
#                simulations run a tenth of their seeds
#   script       test the scripts in bin/
#   web          test the web page in Chromium (bin/web-test.sh); skipped if this host has no Node.js or no browser
#   interop      run clients in other languages, and test the REST API against its description (bin/interop.sh)
#   dashboards   run the queries of all dashboards with Prometheus and a loaded cluster; skipped without Prometheus
#   fuzz         search for inputs that break the broker for 15 s per target (bin/fuzz.sh)
#   chaos        run a cluster under injected faults for 45 s (bin/chaos.sh); skipped without network namespaces
#   slow         run the tests that take longer, and all seeds of the simulations
#
# Maven builds and tests two modules at a time. The scripts are tested two at a time; so are web, interop, dashboards
# and fuzz. The output of each of these appears when it has ended.
#
# Options:
#   --fast         run only the fast and script steps
#   MAVEN_OPTION   option for Maven in the fast and slow steps, for example -T1 to build one module at a time, or
#                  -DforkCount=1 to run the tests of a module in one JVM (default: two at the same time)
#   -h, --help     print this help
#   --version      print the version
#
# Examples:
#   bin/test.sh
#   bin/test.sh --fast
#   bin/test.sh --fast -DforkCount=1
#
# Exit codes:
#   0   all tests passed
#   1   a test or check failed, or no test ran
#   2   Maven is not installed
set -uo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
handle_help_and_version "$@"
cd "$HOME_DIR" || exit 2

slow=yes
if [ "${1:-}" = --fast ]; then
  slow=no
  shift
fi
command -v mvn >/dev/null || fail "'mvn' is not installed or not in PATH; install Maven 3.8 or newer"

rm -rf ./*/target/surefire-reports
mkdir -p target
started=$SECONDS
failed=()

# Two modules at a time: while one compiles or waits for its last test class, the other one uses the second processor.
step() { # name, Maven arguments
  local name="$1" from=$SECONDS
  shift
  echo "== $name"
  # Of two options -T, Maven uses the first.
  mvn "$@" -T 2 -B -ntp -fae -Dsurefire.reportNameSuffix="$name" 2>&1 | tee "target/test-$name.log" || failed+=("$name")
  # Netty detects leaked buffers in all tests and logs them.
  if grep -q 'LEAK: ' "target/test-$name.log"; then
    failed+=("$name-leak")
  fi
  echo "== $name took $((SECONDS - from)) s"
}

# Runs a check that is not Maven's, keeps its output for the summary, and prints it at the end. Exit code 77: not
# supported on this host.
check() { # name
  local code=0 from=$SECONDS
  case "$1" in
    build) bin/standalone.sh build ;;
    web) bin/web-test.sh ;;
    interop) bin/interop.sh ;;
    dashboards) broker-server/src/test/dashboards/run.sh ;;
    fuzz) bin/fuzz.sh all 15 ;;
    chaos) bin/chaos.sh 45 ;;
    *) "broker-server/src/test/sh/$1.sh" ;;
  esac >"target/test-$1.log" 2>&1 </dev/null || code=$?
  echo "== $1 took $((SECONDS - from)) s"
  cat "target/test-$1.log"
  [ "$code" -eq 0 ] || [ "$code" -eq 77 ]
}

# Runs checks two at a time, because each of them often waits for the processes that it has started. Each of two
# background jobs takes the next check that the other one has not taken: mkdir succeeds only once.
two_at_a_time() { # names of checks, the longest first
  local taken name
  taken="$(mktemp -d)"
  set -m # process groups: an interrupt must end all processes of both jobs
  for job in 1 2; do
    for name in "$@"; do
      mkdir "$taken/$name" 2>/dev/null || continue
      check "$name" || touch "$taken/$name/failed"
    done </dev/null &
    jobs+=("$!")
  done
  set +m
  wait
  jobs=()
  for name in "$@"; do
    [ ! -e "$taken/$name/failed" ] || failed+=("$name")
  done
  rm -rf "$taken"
}

jobs=() # process groups
interrupted() {
  local job
  for job in ${jobs[@]+"${jobs[@]}"}; do kill -- "-$job" 2>/dev/null; done
  exit 130
}
trap interrupted INT TERM

# The tests of providers need servers from Debian packages. RUNLEVEL=1 keeps the packages from starting them.
missing=()
for server in redis-server:/usr/bin/redis-server redis-sentinel:/usr/bin/redis-sentinel \
  postgresql:'/usr/lib/postgresql/*/bin/postgres' mariadb-server:/usr/sbin/mariadbd \
  slapd:/usr/sbin/slapd ldap-utils:/usr/bin/ldapsearch; do
  compgen -G "${server#*:}" >/dev/null || missing+=("${server%%:*}")
done
if [ ${#missing[@]} -gt 0 ]; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "== installing ${missing[*]} for the tests"
    { apt-get -q update && RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive \
      apt-get -q install -y --no-install-recommends "${missing[@]}"; } >target/test-servers.log 2>&1 ||
      echo "cannot install ${missing[*]}, so their tests are skipped; see target/test-servers.log"
  else
    echo "not installed, so their tests are skipped: ${missing[*]}"
  fi
fi

# The tests of TLS and of revoked certificates use openssl.
if ! command -v openssl >/dev/null; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "== installing openssl for the tests"
    { apt-get -q update && apt-get -q install -y --no-install-recommends openssl; } >target/test-openssl.log 2>&1 \
      || echo "cannot install openssl, so its tests are skipped; see target/test-openssl.log"
  else
    echo "openssl is not installed, so its tests are skipped"
  fi
fi

step fast verify -DexcludedGroups=slow -Dfjordmq.sim.percent=10 "$@"

echo "== script"
# These start no node. They run while bin/standalone.sh builds FjordMQ and makes the AOT cache for the nodes of the others.
without_nodes=(api-compatibility-test help-test memory-test prometheus-test)
with_nodes=()
for script in broker-server/src/test/sh/*-test.sh; do
  name="$(basename "$script" .sh)"
  [[ " ${without_nodes[*]} " == *" $name "* ]] || with_nodes+=("$name")
done
two_at_a_time build "${without_nodes[@]}"
two_at_a_time "${with_nodes[@]}"
if [ "$slow" = yes ]; then
  echo "== web, interop, dashboards, fuzz"
  two_at_a_time web interop dashboards fuzz
  echo "== chaos"
  check chaos || failed+=(chaos) # alone, because its faults last for real seconds
  step slow test -Dgroups=slow,seeds "$@" # seeds: Seeds.TAG
fi

# A CI system may show only the end of a long log, so repeat the output of each failed check there.
for name in ${failed[@]+"${failed[@]}"}; do
  log="target/test-${name%-leak}.log"
  [ -f "$log" ] || continue
  printf '\n== %s failed; %s ends with:\n' "$name" "$log"
  # The lines after a leak say where the buffer was allocated and used.
  { grep -E -A 30 'LEAK: ' "$log" | head -n 150; grep -E '^(FAILED|\[ERROR\])' "$log" || tail -n 20 "$log"; } |
    cut -c -1000 | head -n 190
done

# For awk: an attribute of an XML element in the current line.
attribute='function attribute(name,   at, rest) {
  at = index($0, " " name "=\"")
  if (!at) return ""
  rest = substr($0, at + length(name) + 3)
  return substr(rest, 1, index(rest, "\"") - 1)
}'

# These are the ones to speed up; HACKING.md says what they spend their time on.
printf '\n== slowest test classes, seconds in all steps\n'
awk "$attribute"'
  /^<testsuite / {
    class = attribute("name")
    sub(/\(.*/, "", class)
    sub(/.*[.]/, "", class)
    seconds[class] += attribute("time")
  }
  END { for (class in seconds) printf "%6.0f %s\n", seconds[class], class }
' ./*/target/surefire-reports/TEST-*.xml </dev/null | sort -rn | head -n 20 |
  awk '{ print; sum += $1 } END { printf "%6d in total\n", sum }'

# The reports contain more than Maven's last lines: totals of all modules, failures and the slowest test class.
awk -v seconds="$((SECONDS - started))" -v failed="${failed[*]:-}" "$attribute"'
  /^<testsuite / {
    tests += attribute("tests"); skipped += attribute("skipped")
    bad = attribute("errors") + attribute("failures")
    if (bad) { broken = broken "  " attribute("name") ": " bad "\n"; wrong += bad }
    if (attribute("time") + 0 > longest) { longest = attribute("time") + 0; slowest = attribute("name") }
  }
  END {
    printf "\n== %d tests, %d failed, %d skipped, %d s; slowest: %s (%d s)\n", tests, wrong, skipped, seconds, slowest, longest
    if (broken) printf "== failed:\n%s", broken
    if (failed) printf "== NOT PASSED: %s (see above for compile and format errors)\n", failed
    else if (!tests) { print "== NOT PASSED: no test ran"; exit 1 }
    else print "== PASSED"
  }
' ./*/target/surefire-reports/TEST-*.xml </dev/null || exit 1
[ ${#failed[@]} -eq 0 ]
