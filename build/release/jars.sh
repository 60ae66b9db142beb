# shellcheck shell=bash
# Builds the jars of a release. Sourced by bin/release.sh.

# Builds all jars and the bill of materials in $WORK/source, a copy of commit $COMMIT with version $VERSION. The copy
# keeps changes that are not committed, and files of earlier builds, out of the release.
build_jars() {
  local stamp="$WORK/built" wanted
  command -v mvn >/dev/null || fail "'mvn' is not installed or not in PATH; install Maven 3.8 or newer" 1
  wanted="$COMMIT $VERSION $SOURCE_DATE_EPOCH,$(build_tools)" # three words: build/release/test/next.sh reads them
  [ "$(cat "$stamp" 2>/dev/null || true)" != "$wanted" ] || return 0
  step "building the jars of commit ${COMMIT:0:12}"
  rm -rf "$WORK"
  mkdir -p "$WORK/source"
  git_here archive "$COMMIT" | tar -x -C "$WORK/source"
  set_version "$WORK/source" "$VERSION"
  package_jars "$WORK/source" "-Dproject.build.outputTimestamp=$(commit_time)"
  printf '%s' "$wanted" >"$stamp"
}

# Packages the jars and the bill of materials of sources $1; the other arguments are options of Maven.
package_jars() {
  local sources="$1"
  shift
  # The root project is needed for the bill of materials of all modules.
  (cd "$sources" && mvn -B -ntp -q -Pwithout-checks -Dmaven.test.skip=true "$@" \
    package org.cyclonedx:cyclonedx-maven-plugin:makeAggregateBom -pl .,broker-server,cli,auth-providers,object-storage -am) >&2 \
    || fail "build failed; see the Maven output above" 1
}

commit_time() { date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ; }

# Prints the versions of Maven and of the JDK that it uses, without blanks. Others may write other bytes.
build_tools() {
  local versions
  versions="$(mvn -B -version)" || fail "'mvn -version' failed; check JAVA_HOME" 1
  sed -n -e 's/.*Apache Maven/Apache Maven/' -e 's/, runtime: .*//' \
    -e '/^Apache Maven\|^Java version/s/[[:space:]]\{1,\}/-/gp' <<<"$versions" | paste -s -d ,
}

# Sets the version of the project in sources $1 to $2. The first version in each pom file is the one of the project, in
# the modules as that of their parent; further ones belong to dependencies, which may have the same version.
set_version() {
  local pom current
  current="$(first_version "$1/pom.xml")"
  for pom in "$1/pom.xml" "$1"/*/pom.xml; do
    [ "$(first_version "$pom")" = "$current" ] || fail "the first version in $pom is not $current" 1
    sed -i "0,/<version>/s|<version>[^<]*</version>|<version>$2</version>|" "$pom"
  done
}

first_version() { sed -n '/<version>/{s/.*<version>\(.*\)<\/version>.*/\1/p;q;}' "$1"; }
