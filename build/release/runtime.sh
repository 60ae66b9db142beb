# shellcheck shell=bash
# Makes a Java runtime with jlink. Sourced by bin/release.sh.

# Modules that jdeps finds in the jars, and those that are only used through services or reflection: elliptic curves
# (jdk.crypto.ec), passwords of databases and Kerberos (java.security.*), recordings (jdk.jfr, jdk.management.jfr),
# jcmd and jstat of the host (jdk.internal.jvmstat comes with them), DNS (jdk.naming.dns), zip file systems.
MODULES=(java.base java.compiler java.desktop java.instrument java.logging java.management java.naming java.net.http
  java.security.jgss java.security.sasl java.sql java.transaction.xa java.xml jdk.crypto.ec jdk.httpserver jdk.jfr
  jdk.management jdk.management.jfr jdk.naming.dns jdk.net jdk.security.auth jdk.unsupported jdk.zipfs)

# Sets JDK to the newest JDK on this host that has jlink, and JDK_ARCH and JDK_VERSION to what it is for.
find_jdk() {
  local candidate version
  JDK='' JDK_VERSION=0
  for candidate in "${JAVA_HOME:-/none}" "$(java_home)" /usr/lib/jvm/* /opt/java/*; do
    [ -x "$candidate/bin/jlink" ] || continue
    version="$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$candidate/release")"
    [ "${version:-0}" -le "$JDK_VERSION" ] || JDK="$candidate" JDK_VERSION="$version"
  done
  [ -n "$JDK" ] || fail "no JDK with jlink found; install one, or set JAVA_HOME" 1
  JDK_ARCH="$(sed -n 's/^OS_ARCH="\(.*\)"/\1/p' "$JDK/release")"
}

java_home() { # of java in PATH
  local java
  java="$(readlink -f "$(command -v java)")" || return 0
  printf '%s' "${java%/bin/java}"
}

# Makes $RELEASE/stage/linux-ARCH-with-java from the installation for architecture $1. jlink can only make a runtime for
# the architecture of its own JDK, unless the jmods of another one are at hand.
stage_with_java() {
  local arch="$1" folder parent="$RELEASE/stage/linux-$1-with-java" options=(--no-header-files --no-man-pages)
  find_jdk
  folder="$parent/fjordmq-$VERSION"
  rm -rf "$folder"
  if [ "$JDK_ARCH" != "$arch" ]; then
    step "no runtime for linux-$arch: jlink of $JDK makes runtimes for $JDK_ARCH only; run this script on an $arch host"
    return 0
  fi
  step "making a Java $JDK_VERSION runtime for linux-$arch with jlink"
  mkdir -p "$parent"
  cp -al "$(stage_folder "$arch")" "$folder"
  if [ "$JDK_VERSION" -ge 21 ]; then options+=(--compress zip-6); else options+=(--compress 2); fi
  "$JDK/bin/jlink" --add-modules "$(IFS=,; printf '%s' "${MODULES[*]}")" "${options[@]}" --output "$folder/runtime"
  fix_modes "$folder/runtime"
  touch -d "@$SOURCE_DATE_EPOCH" "$folder"
}
