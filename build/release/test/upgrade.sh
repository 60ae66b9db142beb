# shellcheck shell=bash
# A cluster of two versions under faults. Sourced by bin/test-release.sh.

# The oldest commit that can be upgraded to the present one without an outage.
UPGRADE_FROM=f03f17cc

test_upgrade() {
  local from="$WORK/upgrade-from" log="$WORK/upgrade.log" code=0
  need git ip:iproute2 unshare:util-linux
  git -c "safe.directory=*" -C "$HOME_DIR" rev-parse -q --verify "$UPGRADE_FROM^{commit}" >/dev/null \
    || skip "commit $UPGRADE_FROM is not in this clone"
  if [ "$(cat "$from/built" 2>/dev/null || true)" != "$UPGRADE_FROM" ]; then
    say "building commit $UPGRADE_FROM"
    rm -rf "$from"
    mkdir -p "$from"
    git -c "safe.directory=*" -C "$HOME_DIR" archive "$UPGRADE_FROM" | tar -x -C "$from"
    # That commit has been checked, and its pom has no profile that omits the checks.
    sed -i '/<arg>-Xplugin:ErrorProne/d' "$from/pom.xml"
    (cd "$from" && mvn -B -ntp -q -Dmaven.test.skip=true package -pl broker-server -am) || fail "commit $UPGRADE_FROM cannot be built"
    printf '%s' "$UPGRADE_FROM" >"$from/built"
  fi
  CHAOS_FROM="$from/broker-server/target/fjordmq/lib" "$HOME_DIR/bin/chaos.sh" 60 >"$log" 2>&1 || code=$?
  grep '^chaos: ' "$log" | cut -c -150 || true # it may not have started
  [ "$code" -ne 77 ] || skip "bin/chaos.sh cannot run here; see $log"
  [ "$code" -eq 0 ] || fail "bin/chaos.sh failed; see $log"
  [ "$(grep -c '^chaos: VersionChanged' "$log")" -gt 0 ] || fail "no node changed its version under faults; see $log"
  [ "$(grep -c '^chaos: decommissioned the node of the' "$log")" -eq 2 ] || fail "no nodes of both versions were added; see $log"
}
