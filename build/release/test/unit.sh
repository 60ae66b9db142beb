# shellcheck shell=bash
# The systemd unit. Sourced by bin/test-release.sh.

MAX_EXPOSURE=1.5 # as systemd-analyze counts, of 10

test_unit() {
  local root="$WORK/unit" unit exposure
  need systemd-analyze:systemd
  rm -rf "$root"
  mkdir -p "$root/usr/lib/systemd/system" "$root/usr/share/fjordmq"
  # The units of this host are the ones that ours refers to.
  cp -a /usr/lib/systemd/system/. "$root/usr/lib/systemd/system/"
  cp "$HOME_DIR/build/release/package/fjordmq.service" "$root/usr/lib/systemd/system/"
  cp -a "$RELEASE/stage/linux-x86_64/fjordmq-$VERSION/bin" "$root/usr/share/fjordmq/"
  unit="$(systemd-analyze verify --man=no --root="$root" fjordmq.service 2>&1)" || fail "systemd-analyze verify: $unit"
  [ -z "$unit" ] || fail "systemd-analyze verify: $unit"
  exposure="$(systemd-analyze security --offline=true --no-pager "$HOME_DIR/build/release/package/fjordmq.service" |
    sed -n 's/.*Overall exposure level for fjordmq.service: \([0-9.]*\).*/\1/p')"
  awk -v found="$exposure" -v most="$MAX_EXPOSURE" 'BEGIN { exit !(found != "" && found <= most) }' \
    || fail "the exposure of the unit is '$exposure', expected: at most $MAX_EXPOSURE"
  say "exposure: $exposure"
  rm -rf "$root"
}
