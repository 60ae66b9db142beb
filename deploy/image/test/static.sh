# shellcheck shell=bash
# Checks of an image that need not run it. Sourced by ../test.sh, which sets work, archive, root and arch.
# shellcheck disable=SC2154

# Prints the configuration of the image.
image_config() {
  local name
  name="$(tar -xOf "$archive" manifest.json | python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["Config"])')"
  tar -xOf "$archive" "$name"
}

# Unpacks the layers into $root, as an engine does.
unpack_image() {
  local layer
  mkdir -p "$root"
  while read -r layer; do
    tar -xOf "$archive" "$layer" | tar -xzp --numeric-owner --keep-directory-symlink -C "$root"
  done < <(tar -xOf "$archive" manifest.json | python3 -c 'import json, sys; print("\n".join(json.load(sys.stdin)[0]["Layers"]))')
}

# Every digest and size in the archive is right, and both of its formats describe the same image.
check_digests() {
  python3 - "$archive" "$arch" <<'PYTHON' || fail "$archive is not a valid archive"
import gzip, hashlib, json, sys, tarfile
archive = tarfile.open(sys.argv[1])
read = lambda name: archive.extractfile(name).read()
def blob(descriptor):
    content = read("blobs/" + descriptor["digest"].replace(":", "/"))
    assert len(content) == descriptor["size"], descriptor
    assert "sha256:" + hashlib.sha256(content).hexdigest() == descriptor["digest"], descriptor
    return content
index = json.loads(read("index.json"))
manifest = json.loads(blob(index["manifests"][0]))
config = json.loads(blob(manifest["config"]))
diffs = ["sha256:" + hashlib.sha256(gzip.decompress(blob(layer))).hexdigest() for layer in manifest["layers"]]
assert diffs == config["rootfs"]["diff_ids"], diffs
assert len(diffs) == len(config["history"])
assert config["architecture"] == index["manifests"][0]["platform"]["architecture"] == sys.argv[2]
docker = json.loads(read("manifest.json"))[0]
assert docker["Config"] == "blobs/" + manifest["config"]["digest"].replace(":", "/")
assert docker["Layers"] == ["blobs/" + layer["digest"].replace(":", "/") for layer in manifest["layers"]]
PYTHON
}

# Files that do not belong into an image, and modes that are too wide.
check_files() {
  local found
  found="$(find "$root" -xdev -type f -perm /6000 -o -xdev -type f -perm /022 -o -xdev -type d -perm /002 ! -perm /1000)"
  [ -z "$found" ] || fail "setuid, or writable for everybody: $found"
  found="$(find "$root" -xdev -not -user 0 ! -path "$root/var/lib/fjordmq")"
  [ -z "$found" ] || fail "files that do not belong to root: $found"
  [ "$(stat -c '%u:%g %a' "$root/var/lib/fjordmq")" = '1000:0 770' ] || fail "/var/lib/fjordmq: $(stat "$root/var/lib/fjordmq")"
  found="$(find "$root" -xdev -xtype l ! -path "$root/proc/*" ! -path "$root/dev/*" | while read -r link; do
    target="$(readlink "$link")"
    case "$target" in /*) [ -e "$root$target" ] || [ -L "$root$target" ] || echo "$link -> $target" ;; *) echo "$link -> $target" ;; esac
  done)"
  # Links of the JRE to files of packages for graphics and sound, which a broker does not need.
  found="$(grep -v -e '/lib/jvm/[^/]*/docs' -e 'libjawt' -e 'blocked.certs' <<<"$found")"
  [ -z "$found" ] || fail "links to missing files: $found"
  for tool in "$root"/usr/bin/{apt,dpkg,perl,curl,wget}; do [ ! -e "$tool" ] || fail "the image contains $tool"; done
}

# All programs and libraries are for the architecture of the image, and find the libraries that they need.
check_libraries() {
  local machine='Advanced Micro Devices X86-64' triplet=x86_64-linux-gnu file needed count=0
  [ "$arch" = amd64 ] || { machine=AArch64 triplet=aarch64-linux-gnu; }
  while read -r file; do
    [ "$(head -c 4 "$file" | tr -d '\0')" = $'\x7fELF' ] || continue
    count=$((count + 1))
    readelf -h "$file" | grep -q "Machine: *$machine" || fail "$file is not for $arch"
    # Libraries for graphics and sound are loaded on demand only.
    case "$file" in
      */libawt*.so | */libfontmanager.so | */libjsound.so | */liblcms.so | */libjavajpeg.so | */libj2pcsc.so | */libsplash*) continue ;;
      */libmlib_image.so | */libfreetype.so) continue ;;
    esac
    while read -r needed; do
      [ -e "$root/usr/lib/$triplet/$needed" ] || [ -e "$root/lib64/$needed" ] || [ -e "$root/lib/$needed" ] \
        || [ -e "$(dirname "$file")/$needed" ] || [ -e "$(dirname "$file")/server/$needed" ] \
        || [ -e "$(dirname "$file")/../lib/$needed" ] || [ -e "$(dirname "$file")/../$needed" ] \
        || fail "$file needs $needed, which the image does not contain"
    done < <(readelf -d "$file" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
  done < <(find "$root/usr" "$root/opt" -xdev -type f \( -perm /111 -o -name '*.so*' \))
  [ "$count" -gt 50 ] || fail "found only $count programs and libraries"
  for file in librocksdbjni-linux libnetty_transport_native_epoll libnetty_tcnative; do
    compgen -G "$root/opt/fjordmq/lib/native/$file*.so" >/dev/null || fail "$file is not unpacked"
  done
}
