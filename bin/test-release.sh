#!/usr/bin/env bash
# Usage: bin/test-release.sh [PART]...
#
# Builds the artifacts of a release from the last commit (bin/release.sh) and tests them.
#
# Parts, which run in this order (default: all):
#   contents       sizes, checksums, jars, native libraries, licenses and bill of materials of the archives
#   run            unpack each archive for this architecture as an unprivileged user, run a node, publish and subscribe
#   unit           check the systemd unit with systemd-analyze
#   rpm            query the Red Hat packages, check their scripts, and install one into a directory
#   deb            install, upgrade under load, remove and purge the Debian package in a chroot (debootstrap)
#   image          build the container images, check them, and run one node and a cluster in containers
#   helm           check the Helm chart, and that a node accepts the variables that it sets
#   upgrade        upgrade a cluster from an earlier commit, and back, under injected faults
#   reproducible   build the archives and packages again in another directory, and compare them byte by byte
#
# A part is skipped, with the reason, if this host or user cannot run it. As root on Debian, the script installs the
# programs that the parts need. Logs and working files are in target/test-release.
#
# Options:
#   -h, --help     print this help
#   --version      print the version
#
# Exit codes:
#   0   all parts passed or were skipped
#   1   a part failed
#   2   invalid usage
set -Eeuo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
handle_help_and_version "$@"

ALL=(contents run unit rpm deb image helm upgrade reproducible)
# shellcheck disable=SC2034 # the tests use it
RELEASE="$HOME_DIR/target/release"
WORK="$HOME_DIR/target/test-release"
TESTS="$HOME_DIR/build/release/test"
# shellcheck disable=SC2034 # the tests use it
VERSION="$(version | sed 's/.* //')"

say() { printf '   %s\n' "$*"; }
fail() { printf 'FAILED: %s\n' "$1" >&2; exit "${2:-1}"; }
skip() { say "skipped: $*"; exit 77; }

# Requires programs; installs the missing ones on Debian as root. PROGRAM:PACKAGE if the names differ.
need() {
  local wanted missing=()
  for wanted in "$@"; do
    PATH="$PATH:/usr/sbin" command -v "${wanted%%:*}" >/dev/null || missing+=("${wanted#*:}")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; } || skip "not installed: ${missing[*]}"
  say "installing ${missing[*]}"
  { apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "${missing[@]}"; } \
    >"$WORK/apt.log" 2>&1 || skip "cannot install ${missing[*]}; see $WORK/apt.log"
}

for part in "${ALL[@]}"; do
  # shellcheck source=/dev/null
  . "$TESTS/$part.sh"
done
# shellcheck source=/dev/null
. "$TESTS/next.sh"

chosen=("$@")
[ $# -gt 0 ] || chosen=("${ALL[@]}")
for part in "${chosen[@]}"; do
  case " ${ALL[*]} " in *" $part "*) ;; *) fail "unknown part '$part'; see --help" 2 ;; esac
done

mkdir -p "$WORK"
(
  # Without these programs, the artifacts that need them are not built.
  need dpkg-deb:dpkg rpmbuild:rpm
) || [ $? -eq 77 ] || exit 1
parts=stage,runtime,archive
! command -v dpkg-deb >/dev/null || parts="$parts,deb"
! command -v rpmbuild >/dev/null || parts="$parts,rpm"
started=$SECONDS
echo "== build"
"$HOME_DIR/bin/release.sh" --only "$parts" || fail "the release cannot be built"
echo "== build took $((SECONDS - started)) s"

failed=()
skipped=()
for part in "${chosen[@]}"; do
  from=$SECONDS code=0
  echo "== $part"
  # Not `(…) || code=$?`: a command that fails in a tested command does not end it.
  set +e
  (
    set -Eeuo pipefail
    trap 'printf "FAILED: line %s of %s: %s\n" "$LINENO" "${BASH_SOURCE[0]##*/}" "$BASH_COMMAND" >&2' ERR
    "test_$part"
  )
  code=$?
  set -e
  case "$code" in
    0) ;;
    77) skipped+=("$part") ;;
    *) failed+=("$part") ;;
  esac
  echo "== $part took $((SECONDS - from)) s"
done
[ ${#skipped[@]} -eq 0 ] || echo "== skipped: ${skipped[*]}"
[ ${#failed[@]} -eq 0 ] || { echo "== NOT PASSED: ${failed[*]}"; exit 1; }
echo "== PASSED in $((SECONDS - started)) s"
