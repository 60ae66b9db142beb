# shellcheck shell=bash
# A release with a higher version. Sourced by bin/test-release.sh.

# shellcheck source=build/release/jars.sh
. "$HOME_DIR/build/release/jars.sh"

# Sorts after the version under test and its pre-releases.
next_version() {
  local numbers="${VERSION%%-*}"
  printf '%s.%s' "${numbers%.*}" "$((${numbers##*.} + 1))"
}

NEXT="$(next_version)"

# Builds the package of version NEXT from the classes of the release under test: only the version in the names and
# manifests of the jars differs, which takes seconds instead of minutes.
make_next_release() {
  local from="$RELEASE/work/$VERSION" to="$RELEASE/work/$NEXT" wanted built
  read -r -a built <"$from/built" || true # the file does not end with a newline
  wanted="${built[0]} $NEXT ${built[2]}"
  if [ "$(cat "$to/built" 2>/dev/null || true)" != "$wanted" ]; then
    say "making version $NEXT from the same classes"
    rm -rf "$to"
    mkdir -p "$to"
    cp -a "$from/source" "$to/source"
    rm -rf "$to/source/broker-server/target/fjordmq"
    set_version "$to/source" "$NEXT"
    package_jars "$to/source" -Dmaven.main.skip=true
    printf '%s' "$wanted" >"$to/built"
  fi
  "$HOME_DIR/bin/release.sh" --version "$NEXT" --only deb --arch x86_64
}
