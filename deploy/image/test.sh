#!/usr/bin/env bash
# Usage: deploy/image/test.sh [DIR]
#
# Tests the container images in DIR (default: target/release), as bin/release.sh --only image makes them:
#   static    both architectures: digests, files, modes, libraries
#   scripts   entrypoint.sh and healthcheck.sh: the variables that they set and read
#   compose   deploy/compose: syntax, files that it mounts, the configuration of Prometheus
#   run       the image for this host: a node with a read-only root, users, health check, memory limit, SIGTERM
#   cluster   three nodes that form a cluster by their environment
#
# The last two need root, because the containers run in a network namespace of their own. They use Podman with runc or,
# where that does not work, the unpacked image in a chroot and namespaces.
#
# Environment:
#   FJORDMQ_IMAGE_ENGINE   podman or chroot (default: podman if it works)
#
# Exit codes:
#   0    all tests passed
#   1    a test failed
#   2    there is no image in DIR
#   77   the static tests passed; the others cannot run on this host
set -uo pipefail
case "${1:-}" in -h | --help) sed -n '2,/^[^#]/s/^#\( \|$\)//p' "${BASH_SOURCE[0]}"; exit 0 ;; esac
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
release="$(cd "${1:-$here/../../target/release}" 2>/dev/null && pwd)" || { echo "test.sh: no directory ${1:-target/release}"; exit 2; }

# Nothing may be reachable from other hosts.
if [ "$(id -u)" = 0 ] && [ -z "${FJORDMQ_IMAGE_NAMESPACE:-}" ] && unshare --net true 2>/dev/null; then
  FJORDMQ_IMAGE_NAMESPACE=yes exec unshare --net bash -c 'ip link set lo up && exec "$@"' test "${BASH_SOURCE[0]}" "$@"
fi

failures=0 skipped=''
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
part() { printf '== %s\n' "$*"; }
work="$(mktemp -d)"
cleanup() {
  engine_stop
  chmod -R u+w "$work" 2>/dev/null
  rm -rf --one-file-system "$work"
}
engine_stop() { true; }
trap cleanup EXIT
trap 'exit 1' INT TERM

# shellcheck source=deploy/image/test/static.sh
. "$here/test/static.sh"
# shellcheck source=deploy/image/test/scripts.sh
. "$here/test/scripts.sh"
# shellcheck source=deploy/image/test/compose.sh
. "$here/test/compose.sh"
# shellcheck source=deploy/image/test/node.sh
. "$here/test/node.sh"

case "$(uname -m)" in aarch64) host_arch=arm64 ;; *) host_arch=amd64 ;; esac
found=no
for arch in amd64 arm64; do
  archive="$(find "$release" -maxdepth 1 -name "fjordmq-*-$arch.oci.tar" -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d ' ' -f 2)"
  [ -n "$archive" ] || continue
  part "static: ${archive##*/}, $(($(stat -c %s "$archive") / 1048576)) MiB"
  found=yes root="$work/root-$arch"
  unpack_image
  check_digests
  check_files
  check_libraries
  [ "$arch" = "$host_arch" ] || rm -rf "$root"
done
[ "$found" = yes ] || { echo "test.sh: no image in $release; run bin/release.sh --only image"; exit 2; }

part scripts
check_scripts
part compose
check_compose

arch="$host_arch" root="$work/root-$host_arch"
archive="$(find "$release" -maxdepth 1 -name "fjordmq-*-$arch.oci.tar" -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d ' ' -f 2)"
version="${archive##*/fjordmq-}"
version="${version%-"$arch".oci.tar}"
for engine in ${FJORDMQ_IMAGE_ENGINE:-podman chroot}; do
  # shellcheck source=/dev/null
  . "$here/test/$engine.sh"
  if [ -z "${FJORDMQ_IMAGE_NAMESPACE:-}" ]; then
    reason='no network namespace: requires root'
  elif reason="$(engine_start 2>&1)"; then
    reason=''
    break
  fi
  engine_stop
  echo "cannot run containers with $engine: $reason"
done
command -v mosquitto_pub >/dev/null || reason='mosquitto-clients is not installed'
if [ -z "$reason" ]; then
  part "run, with $engine"
  test_commands
  test_node
  part "cluster, with $engine"
  test_cluster
else
  skipped="run and cluster, which cannot run here: $reason"
fi

[ -z "$skipped" ] || echo "skipped: $skipped"
[ "$failures" -eq 0 ] || { echo "test.sh: $failures failed"; exit 1; }
[ -z "$skipped" ] || exit 77
echo 'test.sh passed'
