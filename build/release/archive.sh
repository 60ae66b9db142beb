# shellcheck shell=bash
# Packs installations into archives. Sourced by bin/release.sh.

# Makes $RELEASE/fjordmq-VERSION-linux-$1.tar.gz; $1 is an architecture, or one with "-with-java".
archive() {
  local target="$RELEASE/fjordmq-$VERSION-linux-$1.tar.gz"
  [ -d "$RELEASE/stage/linux-$1/fjordmq-$VERSION" ] || return 0 # the reason was given there
  step "packing ${target##*/}"
  tar -c --format=gnu --sort=name --owner=0 --group=0 --numeric-owner "--mtime=@$SOURCE_DATE_EPOCH" \
    -C "$RELEASE/stage/linux-$1" "fjordmq-$VERSION" | gzip -9n >"$target.new"
  mv "$target.new" "$target"
}
