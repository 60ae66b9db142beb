# shellcheck shell=bash
# What the archives contain. Sourced by bin/test-release.sh.

MAX_BYTES=60000000 # of an archive without Java

test_contents() {
  local arch archive
  need unzip sha256sum:coreutils
  check_versions
  (cd "$RELEASE" && sha256sum --quiet -c SHA256SUMS)
  ! grep -F '~' "$RELEASE/SHA256SUMS" || fail "GitHub replaces '~' in the names of these files"
  for arch in x86_64 aarch64; do
    archive="$RELEASE/fjordmq-$VERSION-linux-$arch.tar.gz"
    [ "$(stat -c %s "$archive")" -le "$MAX_BYTES" ] || fail "$archive has more than $MAX_BYTES bytes"
    rm -rf "$WORK/contents"
    mkdir -p "$WORK/contents"
    tar -xz -C "$WORK/contents" -f "$archive"
    check_files "$archive" "$WORK/contents/fjordmq-$VERSION"
    check_jars "$arch" "$WORK/contents/fjordmq-$VERSION"
    say "linux-$arch: $(($(stat -c %s "$archive") / 1000000)) MB, $(find "$WORK/contents" -name '*.jar' -type f | wc -l) jars"
    rm -rf "$WORK/contents"
  done
}

# Other files that name the version of the project.
check_versions() {
  local file expected
  while read -r file expected; do
    grep -qF -- "$expected" "$HOME_DIR/$file" || fail "$file does not contain $expected"
  done <<FILES
deploy/helm/fjordmq/Chart.yaml appVersion: "$VERSION"
deploy/compose/compose.yml image: fjordmq:\${FJORDMQ_VERSION:-$VERSION}
README.md fjordmq:$VERSION
FILES
}

# Names, owners and times of the files in archive $1, unpacked to $2.
check_files() {
  local found expected owners times
  found="$(cd "$2" && find . -mindepth 1 -maxdepth 1 -printf '%P\n' | LC_ALL=C sort | paste -s -d ' ')"
  expected='CHANGELOG.md LICENSE NOTICE README.md bin conf lib licenses sbom.json'
  [ "$found" = "$expected" ] || fail "the archive contains: $found; expected: $expected"
  found="$(cd "$2" && LC_ALL=C ls bin conf lib | paste -s -d ' ')"
  expected='bin: cluster.sh fjordmq lib.sh memory.sh passwd.sh standalone.sh  conf: logback.xml standalone.yml  lib: broker cli object-storage providers'
  [ "$found" = "$expected" ] || fail "the archive contains $found; expected: $expected"
  owners="$(tar -tvz --numeric-owner -f "$1" | awk '{ print $2 }' | sort -u)"
  [ "$owners" = 0/0 ] || fail "owners of files in $1: $owners"
  times="$(TZ=UTC tar -tvz --full-time -f "$1" | awk '{ print $4, $5 }' | sort -u | wc -l)"
  [ "$times" -eq 1 ] || fail "$times different times of files in $1"
  if grep -rlF "$HOME_DIR" "$2" --include='*.json' --include='*.sh' --include='*.txt' --include='*.yml'; then
    fail "these files name the directory of the build"
  fi
}

# Jars of installation $2: no tests, one native platform ($1), each with a license and a component.
check_jars() {
  local jar name machine
  case "$1" in x86_64) machine=3e00 ;; aarch64) machine=b700 ;; esac
  while IFS= read -r -d '' jar; do
    name="${jar##*/}"
    case "$name" in
      *-tests.jar | *-sources.jar | junit* | assertj* | jqwik* | test-support* | perf-* | jmh-* | mockito* | archunit* | jazzer*)
        fail "$name is for tests only"
        ;;
    esac
    check_natives "$jar" "$machine"
    grep -q "\"$(sha256sum "$jar" | cut -d ' ' -f 1)\"" "$2/sbom.json" || fail "sbom.json does not contain $name"
    case "$name" in
      *-"$VERSION".jar) ;; # FjordMQ's own
      *) grep -q "^$name: [^?]*$" "$2/licenses/INDEX.txt" || fail "licenses/INDEX.txt does not contain the license of $name" ;;
    esac
  done < <(find "$2/lib" -name '*.jar' -type f -print0)
  [ -z "$(find "$2" -xtype l)" ] || fail "broken links: $(find "$2" -xtype l)"
}

# Each native library in jar $1 must be for ELF machine $2.
check_natives() {
  local library found
  while IFS= read -r library; do
    found="$(unzip -p "$1" "$library" | od -An -j 18 -N 2 -tx1 | tr -d ' \n' || true)"
    [ "$found" = "$2" ] || fail "$library in ${1##*/} is for ELF machine '$found', expected: $2"
  done < <(unzip -Z1 "$1" | grep -E '\.(so|dll|dylib|jnilib|a)$' || true)
}
