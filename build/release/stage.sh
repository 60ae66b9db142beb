# shellcheck shell=bash
# Lays out an installation. Sourced by bin/release.sh.

# Scripts for users. The other ones in bin are for developers.
SCRIPTS=(standalone.sh fjordmq passwd.sh cluster.sh lib.sh memory.sh)

# Makes $RELEASE/stage/linux-ARCH/fjordmq-VERSION for architecture $1 from the jars of build_jars.
stage() {
  local arch="$1" source="$WORK/source" folder built jars="$WORK/source/broker-server/target/fjordmq"
  folder="$(stage_folder "$arch")"
  step "laying out linux-$arch"
  rm -rf "$folder"
  mkdir -p "$folder/bin" "$folder/conf" "$folder/lib"
  for built in lib:broker cli:cli providers:providers object-storage:object-storage; do
    java_tool KeepNatives "$arch" "$folder/lib/${built#*:}" "$jars/${built%:*}"/*.jar
  done
  share_jars "$folder/lib"
  # Most nodes never open these; stored classes compress better in the archive.
  java_tool StoredJars "$folder/lib/providers" "$folder/lib/object-storage"
  (cd "$source/bin" && cp "${SCRIPTS[@]}" "$folder/bin")
  cp "$source/conf/standalone.yml" "$source/conf/logback.xml" "$folder/conf"
  cp "$source/LICENSE" "$source/NOTICE" "$source/README.md" "$source/CHANGELOG.md" "$folder"
  java_tool Inventory "$source/target/bom.json" "$folder" "$HOME_DIR/build/release/licenses" "$(commit_time)"
  fix_modes "$folder"
}

stage_folder() { printf '%s' "$RELEASE/stage/linux-$1/fjordmq-$VERSION"; }

# Replaces jars of other directories that are also in broker by links.
share_jars() {
  local jar
  for jar in "$1"/{cli,providers,object-storage}/*.jar; do
    if cmp -s "$jar" "$1/broker/${jar##*/}"; then ln -sf "../broker/${jar##*/}" "$jar"; fi
  done
}

# Modes and times of files depend neither on the umask nor on the time of the build.
fix_modes() {
  chmod -R u=rwX,go=rX "$1"
  find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
}
