# shellcheck shell=bash
# The package for Debian, in a root directory of its own. Sourced by bin/test-release.sh.

ROOT_ARCHIVE="$WORK/debian-root.tar" # made once

# Debian with what the package and the test need. Everything that follows works without a network.
make_debian_root() {
  [ ! -s "$ROOT_ARCHIVE" ] || return 0
  say "making a Debian root directory with debootstrap"
  debootstrap --variant=minbase \
    --include=ca-certificates,adduser,openjdk-17-jre-headless,mosquitto-clients,socat,iproute2,curl \
    bookworm "$WORK/debian-root" >"$WORK/debootstrap.log" 2>&1 || {
    tail -n 5 "$WORK/debootstrap.log"
    skip "debootstrap failed; see $WORK/debootstrap.log"
  }
  rm -rf "$WORK"/debian-root/var/cache/apt/archives/*.deb
  tar -c -C "$WORK/debian-root" . >"$ROOT_ARCHIVE.new"
  mv "$ROOT_ARCHIVE.new" "$ROOT_ARCHIVE"
  rm -rf "$WORK/debian-root"
}

test_deb() {
  local root="$WORK/deb-root" arch
  [ "$(id -u)" = 0 ] || skip "requires root"
  need debootstrap unshare:util-linux dpkg-deb:dpkg
  for arch in amd64 arm64; do check_deb_file "$RELEASE/fjordmq_${VERSION}_$arch.deb" "$arch"; done
  make_debian_root
  make_next_release
  rm -rf "$root"
  mkdir -p "$root"
  tar -x -C "$root" -f "$ROOT_ARCHIVE"
  mkdir -p "$root/test"
  cp "$RELEASE/fjordmq_${VERSION}_amd64.deb" "$root/test/old.deb"
  cp "$RELEASE/fjordmq_${NEXT}_amd64.deb" "$root/test/new.deb"
  printf '%s' "$NEXT" >"$root/test/new.version"
  install -m 755 "$TESTS/systemctl" "$root/usr/bin/systemctl"
  install -m 755 "$TESTS/deb-inside.sh" "$root/test/run.sh"
  # Namespaces: the node uses its default ports, and ends with the test. Java needs a mount point as the root.
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    unshare --mount --net --pid --fork --kill-child bash -c 'mount --bind "$0" "$0" && cd "$0" && mount -t proc proc proc && exec chroot . /test/run.sh' "$root" \
    || { tail -n 30 "$root/run/unit/journal" 2>/dev/null; return 1; }
  rm -rf "$root"
}

# Architecture $2, size, configuration files, and what lintian says if it is installed.
check_deb_file() {
  local fields size
  fields="$(dpkg-deb -f "$1" Architecture Depends)"
  [[ "$fields" == *"Architecture: $2"* && "$fields" == *java17-runtime-headless* ]] || fail "fields of $1: $fields"
  [ "$(dpkg-deb -I "$1" conffiles | sort | paste -s -d ' ')" = '/etc/fjordmq/fjordmq.env /etc/fjordmq/logback.xml /etc/fjordmq/standalone.yml' ] \
    || fail "configuration files of $1"
  # The listing does not depend on the file system of the build.
  size="$(dpkg-deb -c "$1" | awk '$6 != "./" { kib += /^-/ ? int(($3 + 1023) / 1024) : 1 } END { print kib }')"
  [ "$(dpkg-deb -f "$1" Installed-Size)" = "$size" ] || fail "Installed-Size of $1 is $(dpkg-deb -f "$1" Installed-Size), expected: $size"
  if command -v lintian >/dev/null; then
    lintian --fail-on error --allow-root --suppress-tags "$(paste -s -d , "$TESTS/lintian-suppressed")" "$1" || fail "lintian finds errors in $1"
  else
    say "lintian is not installed; not run"
  fi
}
