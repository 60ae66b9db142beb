# shellcheck shell=bash
# A second build, from a clone in another directory. Sourced by bin/test-release.sh.

test_reproducible() {
  local clone="$WORK/clone" file locale parts=stage,runtime,archive differing=()
  need git cmp:diffutils
  rm -rf "$clone"
  git -c "safe.directory=*" clone -q --no-hardlinks "$HOME_DIR" "$clone"
  git -C "$clone" checkout -q "$(git -c "safe.directory=*" -C "$HOME_DIR" rev-parse HEAD)"
  [ ! -e "$RELEASE/fjordmq_${VERSION}_amd64.deb" ] || parts="$parts,deb"
  ! compgen -G "$RELEASE/fjordmq-$VERSION-1.*.rpm" >/dev/null || parts="$parts,rpm"
  # A locale that sorts in another way than C, if this host has one.
  locale="$(locale -a | grep -Ev '^(C|POSIX)(\.|$)' | head -n 1 || true)"
  (umask 077 && TZ=Asia/Kathmandu LC_ALL="${locale:-C}" "$clone/bin/release.sh" --only "$parts")
  while read -r _ file; do
    cmp "$RELEASE/$file" "$clone/target/release/$file" || differing+=("$file")
  done <"$clone/target/release/SHA256SUMS"
  [ ${#differing[@]} -eq 0 ] || fail "a second build differs: ${differing[*]}"
  say "$(wc -l <"$clone/target/release/SHA256SUMS") artifacts are the same"
  rm -rf "$clone"
}
