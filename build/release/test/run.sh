# shellcheck shell=bash
# Runs nodes from the archives. Sourced by bin/test-release.sh.

test_run() {
  local arch archive found=0
  need mosquitto_pub:mosquitto-clients openssl curl
  arch="$(uname -m)"
  for archive in "$RELEASE/fjordmq-$VERSION-linux-$arch.tar.gz" "$RELEASE/fjordmq-$VERSION-linux-$arch-with-java.tar.gz"; do
    [ -f "$archive" ] || continue
    found=$((found + 1))
    run_archive "$archive"
  done
  [ "$found" -lt 2 ] || check_modules
  [ "$found" -gt 0 ] || skip "no archive for $arch"
}

# Unpacks archive $1, and runs a node and its clients, as an unprivileged user who has only what the archive needs.
run_archive() {
  local code=0 path=/usr/bin:/bin java='' user=()
  FOLDER="$(mktemp -d)"
  case "$1" in
    *-with-java.tar.gz)
      # No Java in PATH. The scripts could still find one in /usr/lib/jvm, so the node is checked for it.
      path="$FOLDER/path"
      commands_without_java "$path"
      ;;
    *) java="$(dirname "$(readlink -f "$(command -v java)")")" ;;
  esac
  cp "$TESTS/run-inside.sh" "$1" "$FOLDER" # that user may not reach the checkout
  if [ "$(id -u)" = 0 ]; then
    user=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
    chown -Rh nobody:nogroup "$FOLDER"
  fi
  "${user[@]}" env -i PATH="$path${java:+:$java}" HOME="$FOLDER" LANG=C.UTF-8 \
    bash "$FOLDER/run-inside.sh" "$FOLDER/${1##*/}" "$FOLDER" "fjordmq-$VERSION" || code=$?
  rm -rf "$FOLDER"
  [ "$code" -eq 0 ] || fail "a node from ${1##*/} does not work"
}

# The runtime must contain the modules that jdeps finds in the jars.
check_modules() {
  local home wanted missing
  home="$RELEASE/stage/linux-$(uname -m)-with-java/fjordmq-$VERSION"
  # The last line of the output; lines before it are warnings.
  wanted="$(jdeps --multi-release 17 --ignore-missing-deps --print-module-deps "$home"/lib/*/*.jar | tail -n 1)"
  missing="$(comm -23 <(tr , '\n' <<<"$wanted" | sort) <("$home/runtime/bin/java" --list-modules | sed 's/@.*//' | sort))"
  [ -z "$missing" ] || fail "add these modules to build/release/runtime.sh: $(paste -s -d ' ' <<<"$missing")"
}

# Makes a directory with links to the programs of this host, without Java.
commands_without_java() {
  local program
  mkdir -p "$1"
  for program in /usr/bin/* /bin/*; do
    case "${program##*/}" in java | javac | jcmd) ;; *) [ -e "$1/${program##*/}" ] || ln -s "$program" "$1/" ;; esac
  done
}
