#!/usr/bin/env bash
# Usage: deploy/image/build.sh ARCH STAGE VERSION DIR
#
# Assembles the container image for ARCH (x86_64 or aarch64) from STAGE, the installation that bin/release.sh lays out, and
# writes DIR/fjordmq-VERSION-amd64.oci.tar (arm64) and, next to it, a list of its Debian packages. bin/release.sh runs it.
#
# Needs neither root nor a container engine; requires apt-get, dpkg-deb, unzip and a JDK 17 or newer. Downloads the
# packages in deploy/image/packages.txt. The same packages and the same STAGE give identical bytes. Docker, Podman and
# skopeo load the archive: it is an OCI layout and has the manifest of 'docker save', too.
#
# Environment:
#   SOURCE_DATE_EPOCH   time of all files in the image, in seconds (default: the time of the last commit)
#
# Exit codes:
#   0   success
#   1   failure; the message gives the reason
#   2   invalid usage
#   77  the Debian packages cannot be downloaded: there is no network, or debian-archive-keyring is not installed
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
fail() { printf 'build.sh: %s\n' "$1" >&2; exit "${2:-1}"; }

case "${1:-}" in -h | --help) sed -n '2,/^[^#]/s/^#\( \|$\)//p' "${BASH_SOURCE[0]}"; exit 0 ;; esac
[ $# -eq 4 ] || fail 'requires ARCH STAGE VERSION DIR; see --help' 2
stage="$2" version="$3" out="$4"
case "$1" in
  x86_64) arch=amd64 ;; # the names that Debian and image formats use
  aarch64) arch=arm64 ;;
  *) fail "ARCH must be x86_64 or aarch64, not '$1'" 2 ;;
esac
[ -d "$stage/lib/broker" ] || fail "$stage is not an installation: lib/broker is missing; run bin/release.sh --only stage"
epoch="${SOURCE_DATE_EPOCH:-$(git -C "$here" log -1 --format=%ct 2>/dev/null || echo 0)}"
suite=trixie
umask 022
export LC_ALL=C TZ=UTC

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir -p "$out" "$work/oci/blobs/sha256"

# shellcheck source=deploy/image/debian.sh
. "$here/debian.sh"
# shellcheck source=deploy/image/layout.sh
. "$here/layout.sh"

# --- /opt/fjordmq -----------------------------------------------------------------------------------------------

# Unpacks the native libraries of the jars next to them, so that a node writes nothing executable.
unpack_natives() { # home of FjordMQ
  local machine jar
  case "$arch" in amd64) machine='x86_64|linux64' ;; arm64) machine='aarch_64|aarch64|arm64' ;; esac
  mkdir -p "$1/lib/native"
  for jar in "$1"/lib/broker/*.jar; do
    unzip -Z1 "$jar" | { grep -E "($machine)[^/]*\.so$" || true; } | { grep -v musl || true; } |
      xargs -r unzip -qojd "$1/lib/native" "$jar"
  done
  [ -e "$1/lib/native/librocksdbjni-linux$([ "$arch" = amd64 ] && echo 64 || echo -aarch64).so" ] \
    || fail "the jars in $1/lib/broker contain no RocksDB library for $arch"
}

make_fjordmq() { # root of the layer
  local home="$1/opt/fjordmq"
  mkdir -p "$home" "$1/etc/fjordmq"
  (cd "$stage" && find . -mindepth 1 -maxdepth 1 ! -name runtime -exec cp -r {} "$home/" \;)
  unpack_natives "$home"
  # Configuration is in /etc/fjordmq, where a file can be mounted; the scripts find it in their conf directory.
  cp "$here/standalone.yml" "$1/etc/fjordmq/"
  # A container logs to its console only.
  sed -e '/<appender name="FILE"/,/<\/appender>/d' -e '/ref="FILE"/d' -e 's/%d{HH:mm:ss.SSS}/%d{yyyy-MM-dd'"'T'"'HH:mm:ss.SSSXXX}/' \
    "$home/conf/logback.xml" >"$1/etc/fjordmq/logback.xml"
  rm -r "$home/conf"
  ln -s /etc/fjordmq "$home/conf"
  cp "$here/entrypoint.sh" "$here/healthcheck.sh" "$home/bin/"
  chmod -R a+rX,go-w "$1"
}

# --- image ------------------------------------------------------------------------------------------------------

download_packages
make_base "$work/base"
add_layer "$work/base" "Debian $suite without a package manager"
make_java "$work/java" "$work/base"
add_layer "$work/java" "OpenJDK of Debian $suite"
make_fjordmq "$work/fjordmq"
mkdir -p "$work/data/var/lib/fjordmq"
add_layer "$work/fjordmq" "FjordMQ $version" "$work/data"

write_layout
tar --create --file "$work/image.tar" --directory "$work/oci" --sort=name --mtime="@$epoch" --owner=0 --group=0 \
  --numeric-owner --format=ustar oci-layout index.json manifest.json blobs
LC_ALL=C sort "$work/packages" >"$out/fjordmq-$version-$arch.oci.packages"
mv "$work/image.tar" "$out/fjordmq-$version-$arch.oci.tar"
printf '%s\n' "$out/fjordmq-$version-$arch.oci.tar"
