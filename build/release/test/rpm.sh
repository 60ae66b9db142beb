# shellcheck shell=bash
# The packages for Red Hat. Sourced by bin/test-release.sh.

test_rpm() {
  local arch file
  need rpm rpm2cpio cpio
  for arch in x86_64 aarch64; do
    file="$RELEASE/fjordmq-$VERSION-1.$arch.rpm"
    [ "$(rpm -qp --qf '%{NAME} %{VERSION} %{ARCH} %{LICENSE}' "$file")" = "fjordmq ${VERSION/-/\~} $arch Apache-2.0" ] \
      || fail "$(rpm -qip "$file")"
    check_rpm_files "$file" "$arch"
    check_rpm_scripts "$file"
  done
  check_rpm_upgrade "$RELEASE/fjordmq-$VERSION-1.x86_64.rpm"
  install_rpm "$RELEASE/fjordmq-$VERSION-1.x86_64.rpm"
}

# Files of package $1 for architecture $2.
check_rpm_files() {
  local expected folder="$WORK/rpm-files"
  for expected in /etc/fjordmq/standalone.yml /etc/fjordmq/fjordmq.env /etc/fjordmq/logback.xml; do
    grep -qx "$expected" <<<"$(rpm -qcp "$1")" || fail "$expected is not a configuration file in $1"
  done
  grep -q '^drwx------ .* fjordmq *fjordmq .* /var/lib/fjordmq$' <<<"$(rpm -qlvp "$1")" || fail "mode or owner of /var/lib/fjordmq in $1"
  rm -rf "$folder"
  mkdir -p "$folder"
  (cd "$folder" && rpm2cpio "$1" | cpio -id --quiet)
  diff -r --no-dereference "$folder/usr/share/fjordmq/lib" "$RELEASE/stage/linux-$2/fjordmq-$VERSION/lib" \
    || fail "lib in $1 differs from that of the archive"
  rm -rf "$folder"
}

# Scripts are for sh.
check_rpm_scripts() {
  local tag script
  for tag in PREIN POSTIN PREUN POSTUN POSTTRANS; do
    script="$(rpm -qp --qf "%{$tag}" "$1")"
    [ "$script" != '(none)' ] || fail "no $tag script in $1"
    printf '%s\n' "$script" | sh -n || fail "the $tag script in $1 is invalid"
  done
}

# Whether an upgrade to package $1 stops the service, and remembers to start it again, in each state of the service.
check_rpm_upgrade() {
  local tools="$WORK/rpm-tools" state expected found
  [ "$(id -u)" = 0 ] || { say "scripts not run: requires root"; return 0; }
  rm -rf "$tools"
  mkdir -p "$tools"
  rpm -qp --qf '%{PREIN}' "$1" >"$tools/prein"
  # shellcheck disable=SC2016 # variables of the script
  printf '#!/bin/sh\ncase "$1" in show) echo "$STATE" ;; *) echo "$1" ;; esac\n' >"$tools/systemctl"
  ln -s "$(command -v true)" "$tools/getent" # the user exists
  chmod +x "$tools/systemctl"
  for state in active:stop,restart activating:stop,restart reloading:stop,restart deactivating:stop inactive: failed:; do
    expected="${state#*:}"
    # shellcheck disable=SC2016 # variables of the inner shell
    found="$(STATE="${state%:*}" PATH="$tools:$PATH" unshare --mount sh -c 'mount -t tmpfs none /run &&
      mkdir -p /run/systemd/system && sh "$0" 2 && { [ ! -e /run/fjordmq.restart ] || echo restart; }' "$tools/prein" | paste -s -d ,)"
    [ "$found" = "$expected" ] || fail "an upgrade in state ${state%:*} does: $found; expected: $expected"
  done
  rm -rf "$tools"
}

# Installs and removes without scripts, because the directory contains no shell to run them.
install_rpm() {
  local root="$WORK/rpm-root"
  [ "$(id -u)" = 0 ] || { say "not installed: requires root"; return 0; }
  rm -rf "$root"
  mkdir -p "$root"
  rpm --root "$root" --initdb
  rpm --root "$root" -i --nodeps --noscripts --ignorearch "$1" 2>"$WORK/rpm.log" || fail "rpm -i: $(cat "$WORK/rpm.log")"
  [ -x "$root/usr/share/fjordmq/bin/standalone.sh" ] && [ -f "$root/etc/fjordmq/standalone.yml" ] || fail "files are missing after rpm -i"
  rpm --root "$root" -V --nodeps --noscripts --nouser --nogroup fjordmq || fail "rpm -V finds differences"
  echo changed >>"$root/etc/fjordmq/standalone.yml"
  rpm --root "$root" -e --nodeps --noscripts fjordmq
  [ ! -e "$root/usr/share/fjordmq" ] || fail "rpm -e left /usr/share/fjordmq"
  [ -e "$root/etc/fjordmq/standalone.yml.rpmsave" ] || fail "rpm -e did not keep a changed configuration"
  rm -rf "$root"
}
