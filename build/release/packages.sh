# shellcheck shell=bash
# Builds packages for Debian and Red Hat. Sourced by bin/release.sh.

# A pre-release sorts before its release. File names contain $VERSION instead, because GitHub replaces '~' in names.
package_version() { printf '%s' "${VERSION/-/\~}"; }

# Lays out the files of both kinds of packages for architecture $1 in $ROOT.
package_root() {
  local stage files="$HOME_DIR/build/release/package" doc share
  stage="$(stage_folder "$1")"
  ROOT="$RELEASE/work/$VERSION/package-$1"
  doc="$ROOT/usr/share/doc/fjordmq" share="$ROOT/usr/share/fjordmq"
  rm -rf "$ROOT"
  mkdir -p "$share" "$doc" "$ROOT/etc/fjordmq" "$ROOT/var/lib/fjordmq" "$ROOT/var/log/fjordmq" "$ROOT/var/cache/fjordmq"
  cp -a "$stage/bin" "$stage/lib" "$share"
  rm "$share/bin/cluster.sh" # writes next to itself
  ln -s /etc/fjordmq "$share/conf"
  ln -s /var/cache/fjordmq "$share/cache"
  ln -s ../../local/share/fjordmq/plugins "$share/plugins"
  cp -a "$stage"/{NOTICE,README.md,CHANGELOG.md,sbom.json,licenses} "$doc"
  package_configuration "$stage/conf" "$files" "$ROOT/etc/fjordmq"
  install -D -m 755 "$files/fjordmq.wrapper" "$ROOT/usr/bin/fjordmq"
  install -D -m 644 "$files/fjordmq.service" "$ROOT/usr/lib/systemd/system/fjordmq.service"
  install -D -m 644 "$files/fjordmq.sysusers" "$ROOT/usr/lib/sysusers.d/fjordmq.conf"
  install -D -m 644 "$files/fjordmq.tmpfiles" "$ROOT/usr/lib/tmpfiles.d/fjordmq.conf"
  install -D -m 644 "$files/fjordmq.1" "$ROOT/usr/share/man/man1/fjordmq.1"
  gzip -9n "$ROOT/usr/share/man/man1/fjordmq.1"
}

# Copies the configuration $1 and the environment file in $2 to $3, with the directories of a package.
package_configuration() {
  # Keeps the comments in their column.
  sed -e 's|^dataDir: data            |dataDir: /var/lib/fjordmq|' -e 's|^logDir: logs            |logDir: /var/log/fjordmq|' \
    "$1/standalone.yml" >"$3/standalone.yml"
  grep -q '^dataDir: /var/lib/fjordmq' "$3/standalone.yml" && grep -q '^logDir: /var/log/fjordmq' "$3/standalone.yml" \
    || fail "dataDir and logDir in conf/standalone.yml are not where build/release/packages.sh expects them" 1
  cp "$1/logback.xml" "$3"
  cp "$2/fjordmq.env" "$3"
}

build_deb() {
  local arch="$1" name files="$HOME_DIR/build/release/package/deb" control target
  case "$arch" in x86_64) name=amd64 ;; aarch64) name=arm64 ;; esac
  target="$RELEASE/fjordmq_${VERSION}_$name.deb"
  command -v dpkg-deb >/dev/null || fail "'dpkg-deb' is not installed; install dpkg, or omit the part deb" 1
  step "packing ${target##*/}"
  package_root "$arch"
  rmdir "$ROOT"/var/*/fjordmq "$ROOT"/var/* "$ROOT/var" # postinst makes them, and they outlive the package
  debian_documents
  control="$ROOT/DEBIAN"
  mkdir "$control"
  install -m 755 "$files"/{postinst,prerm,postrm} "$control"
  (cd "$ROOT" && find etc -type f | sort | sed 's|^|/|') >"$control/conffiles"
  (cd "$ROOT" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$control/md5sums"
  cat >"$control/control" <<CONTROL
Package: fjordmq
Version: $(package_version)
Architecture: $name
Maintainer: $MAINTAINER
Installed-Size: $(installed_kib "$ROOT")
Depends: adduser, libc6 (>= 2.17), libgcc-s1, libstdc++6, openjdk-17-jre-headless | java17-runtime-headless
Recommends: curl
Section: net
Priority: optional
Homepage: https://github.com/fjordmq/fjordmq
Description: distributed MQTT broker
 FjordMQ is a distributed MQTT broker (3.1, 3.1.1, 5.0). It stores sessions,
 queued messages and retained messages in key ranges that are replicated
 by Raft, so that no acknowledged message is lost when a node fails.
CONTROL
  fix_modes "$ROOT"
  chmod 640 "$ROOT/etc/fjordmq/standalone.yml" "$ROOT/etc/fjordmq/fjordmq.env"
  dpkg-deb --root-owner-group -Zgzip -z9 -b "$ROOT" "$target" >/dev/null
}

# Prints the size of the files in $1 as dpkg-gencontrol counts it: each file rounded up to 1 KiB, and 1 KiB for anything
# else. What du prints depends on the file system.
installed_kib() {
  find "$1" -mindepth 1 -name DEBIAN -prune -o -printf '%y %s\n' |
    awk '{ kib += $1 == "f" ? int(($2 + 1023) / 1024) : 1 } END { print kib }'
}

# What Debian's policy requires in /usr/share/doc.
debian_documents() {
  local doc="$ROOT/usr/share/doc/fjordmq"
  {
    printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n'
    printf 'Upstream-Name: FjordMQ\nSource: https://github.com/fjordmq/fjordmq\n\n'
    printf 'Files: *\nCopyright: 2026 FjordMQ contributors\nLicense: Apache-2.0\n'
    printf ' On Debian systems, the text is in /usr/share/common-licenses/Apache-2.0.\n'
    printf 'Comment: The libraries and their licenses are listed in licenses/INDEX.txt.\n'
  } >"$doc/copyright"
  printf 'fjordmq (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- %s  %s\n' "$(package_version)" "$MAINTAINER" \
    "$(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.gz"
}

build_rpm() {
  local arch="$1" top="$RELEASE/work/$VERSION/rpm-$1" built
  command -v rpmbuild >/dev/null || fail "'rpmbuild' is not installed; install it, or omit the part rpm" 1
  step "packing fjordmq-$VERSION-1.$arch.rpm"
  package_root "$arch"
  fix_modes "$ROOT"
  rm -rf "$top"
  mkdir -p "$top"
  rpmbuild -bb --quiet --target "$arch-linux" --define "_topdir $top" --define "files_root $ROOT" \
    --define "package_version $(package_version)" --define "_buildhost localhost" --define "_binary_payload w9.gzdio" \
    --define "use_source_date_epoch_as_buildtime 1" --define "clamp_mtime_to_source_date_epoch 1" \
    "$HOME_DIR/build/release/package/rpm/fjordmq.spec" >&2 || fail "rpmbuild failed; see its output above" 1
  built="$(find "$top/RPMS" -name '*.rpm')"
  mv "$built" "$RELEASE/fjordmq-$VERSION-1.$arch.rpm"
}
