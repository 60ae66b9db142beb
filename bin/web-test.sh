#!/usr/bin/env bash
# Usage: bin/web-test.sh [CHECK]...
#        bin/web-test.sh --screenshots [DIR]
#
# Tests the web page in headless Chromium, on a node and on a cluster of three, which the script starts on free ports and
# stops at the end. Requires Node.js with npm, and Chromium or Chrome. As root on Debian, the script installs Chromium if
# there is no browser. The test tools are installed under broker-server/target/web-test.
#
#   CHECK          name of a check in broker-server/src/test/web/checks.js, or 1 or 3 for all checks on as many nodes
#                  (default: all checks except viewsWith15000Clients, which connects 15,000 clients and takes several
#                  minutes; viewerChangesNothing and everyViewIsAccessible run on three nodes only if they are named)
#
# Options:
#   --screenshots  take screenshots of every view and of the day in docs/OPERATIONS.md instead, and store them in DIR
#                  (default: docs/images); compresses them with pngquant if it is installed
#   -h, --help     print this help
#   --version      print the version
#
# Environment:
#   CHROMIUM       browser to use (default: chromium, chromium-browser, google-chrome or chrome from the PATH)
#   VIEWS          regular expression for the names of the views that --screenshots shows (default: all views, and the day)
#   WEB_SOURCES    directory from which the browser gets the files of the page, instead of from the build: with
#                  broker-server/src/main/web, changed files need no build
#
# Examples:
#   bin/web-test.sh
#   bin/web-test.sh clientIsFoundAndKicked 3
#   bin/web-test.sh viewsWith15000Clients
#   WEB_SOURCES=broker-server/src/main/web bin/web-test.sh everyViewIsAccessible
#
# Exit codes:
#   0    all checks passed
#   1    a check failed, or a node did not start
#   77   this host has no Node.js or no browser
set -uo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
handle_help_and_version "$@"
cd "$HOME_DIR" || exit 2
work="$PWD/broker-server/target/web-test"

skip() {
  echo "skipped: $1"
  exit 77
}

find_browser() {
  command -v chromium chromium-browser google-chrome chrome | head -n 1
}

for tool in node npm; do
  command -v "$tool" >/dev/null || skip "$tool is not installed"
done
CHROMIUM="${CHROMIUM:-$(find_browser)}"
if [ -z "$CHROMIUM" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  { apt-get -q update && apt-get -q install -y --no-install-recommends chromium; } >/dev/null 2>&1
  CHROMIUM="$(find_browser)"
fi
[ -n "$CHROMIUM" ] || skip "no Chromium or Chrome found; set CHROMIUM to its executable"

tools="$work/tools"
mkdir -p "$tools"
cp broker-server/src/test/web/* "$tools"
(cd "$tools" && npm install --no-audit --no-fund --no-package-lock --loglevel=error --ignore-scripts) || exit 1
# The vendored copy must be the published file.
cmp -s "$tools/node_modules/mqtt/dist/mqtt.esm.js" broker-server/src/main/web/vendor/mqtt.js ||
  fail "broker-server/src/main/web/vendor/mqtt.js is not the file of the npm package mqtt in package.json" 1

if [ "${1:-}" = --screenshots ]; then
  SCREENSHOTS="$(absolute "${2:-docs/images}")"
  export SCREENSHOTS
  set --
  work=/tmp/fjordmq # pictures show where the nodes keep their files
  mkdir -p -m 700 "$work" && [ -O "$work" ] || fail "$work belongs to another user; remove it" 1
  # The pictures of a full disk need a small one, which only this script and its nodes see.
  if unshare --mount true 2>/dev/null; then
    export OWN_MOUNTS=yes
    alone=(unshare --mount)
  fi
fi
[ -z "${WEB_SOURCES:-}" ] || WEB_SOURCES="$(absolute "$WEB_SOURCES")"
bin/standalone.sh build >/dev/null || fail "cannot build FjordMQ; see the output of bin/standalone.sh build" 1
export CHROMIUM WEB_SOURCES FJORDMQ_HOME="$PWD" WORK="$work" PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1
exec ${alone[@]+"${alone[@]}"} node "$tools/run.js" "$@"
