# shellcheck shell=bash
# The layers of Debian packages. Sourced by build.sh, which sets here, work, arch and suite.
# shellcheck disable=SC2154

# Runs apt-get for the architecture of the image, independently of the packages and sources of this host.
image_apt() {
  apt-get -q -o APT::Architecture="$arch" -o APT::Architectures="$arch" -o APT::Sandbox::User=root \
    -o Dir::State="$work/apt" -o Dir::State::status=/dev/null -o Dir::Cache="$work/apt" \
    -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=- -o Acquire::Languages=none "$@"
}

# Prints the packages of layer $1.
packages_of() { sed -n "s/^$1 //p" "$here/packages.txt"; }

download_packages() { # into $work/debs/LAYER
  local layer packages keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  mkdir -p "$work/apt/lists/partial"
  printf "deb [signed-by=$keyring] http://deb.debian.org/%s main\n" \
    "debian $suite" "debian $suite-updates" "debian-security $suite-security" >"$work/sources.list"
  [ -e "$keyring" ] || fail "$keyring does not exist; install the package debian-archive-keyring" 77
  # By default, apt-get only warns if a source cannot be reached.
  image_apt -o APT::Update::Error-Mode=any update >"$work/apt.log" 2>&1 || {
    tail -n 5 "$work/apt.log" >&2
    fail "cannot reach the package archive of Debian; see the messages above" 77
  }
  {
    for layer in base java; do
      mapfile -t packages < <(packages_of "$layer")
      mkdir -p "$work/debs/$layer"
      (cd "$work/debs/$layer" && image_apt download "${packages[@]}")
    done
  } >>"$work/apt.log" 2>&1 || {
    tail -n 5 "$work/apt.log" >&2
    fail "cannot download the Debian packages of the image; see the messages above"
  }
}

# Unpacks the packages of layer $1 into root $2, and describes them where scanners of images look for packages.
unpack_packages() {
  local deb name
  mkdir -p "$2/var/lib/dpkg/status.d"
  for deb in "$work/debs/$1"/*.deb; do
    # Debian has merged /bin, /lib and /sbin into /usr; packages may still contain the old paths.
    dpkg-deb --fsys-tarfile "$deb" | tar --extract --directory "$2" --keep-directory-symlink --no-same-owner
    name="$(dpkg-deb -f "$deb" Package)"
    dpkg-deb -f "$deb" >"$2/var/lib/dpkg/status.d/$name"
    # shellcheck disable=SC2016 # fields of dpkg-deb
    dpkg-deb --show --showformat='${Package} ${Version} ${Architecture}\n' "$deb" >>"$work/packages"
  done
  # The licenses remain, in /usr/share/doc/*/copyright.
  find "$2/usr/share/doc" ! -type d ! -name copyright -delete
  rm -rf "$2"/usr/share/{man,info,lintian,locale,bug,doc-base,applications,icons} "$2"/usr/lib/{systemd,debug} \
    "${2:?}"/{boot,home,lib/systemd,media,mnt,opt,srv,usr/games,usr/src,etc/cron.daily,var/lib/dbus}
  find "$2/usr" -type d -empty -delete
  find "$2" -type f -perm /6000 -exec chmod a-s {} +
}

make_base() { # root of the layer
  local root="$1" merged=(bin lib sbin)
  mkdir -p "$root"/{dev,etc/ssl/certs,proc,run,sys,tmp}
  [ "$arch" = arm64 ] || merged+=(lib64)
  for directory in "${merged[@]}"; do
    mkdir -p "$root/usr/$directory"
    ln -s "usr/$directory" "$root/$directory"
  done
  unpack_packages base "$root"
  mkdir -p "$root/usr/sbin" # the target of a link
  ln -s bash "$root/usr/bin/sh"
  # Nothing calls these programs, which need libsystemd and OpenSSL.
  rm "$root"/usr/bin/{who,users,pinky,cksum,md5sum,sha1sum,sha224sum,sha256sum,sha384sum,sha512sum}
  # What the scripts of the packages would do.
  cat "$root"/usr/share/ca-certificates/mozilla/*.crt >"$root/etc/ssl/certs/ca-certificates.crt"
  printf '%s\n' 'root:x:0:0:root:/root:/usr/sbin/nologin' 'fjordmq:x:1000:1000:FjordMQ:/var/lib/fjordmq:/bin/bash' \
    'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin' >"$root/etc/passwd"
  printf '%s\n' 'root:x:0:' 'fjordmq:x:1000:' 'nogroup:x:65534:' >"$root/etc/group"
  printf '%s\n' 'hosts: files dns' 'passwd: files' 'group: files' 'services: files' 'protocols: files' \
    >"$root/etc/nsswitch.conf"
  chmod 1777 "$root/tmp"
}

make_java() { # root of the layer, root of the base
  local home
  unpack_packages java "$1"
  home="$(cd "$1/usr/lib/jvm" && compgen -G "java-??-openjdk-$arch")" # not the link beside it
  # For heaps of more than 32 GB, which nodes do not have.
  rm -f "$1/usr/lib/jvm/$home"/lib/server/classes_nocoops*.jsa
  ln -s "$home" "$1/usr/lib/jvm/fjordmq" # FJORDMQ_JAVA
  mkdir -p "$1/etc/ssl/certs/java"
  "${JAVA_HOME:+$JAVA_HOME/bin/}java" "$here/TrustStore.java" "$2/usr/share/ca-certificates/mozilla" \
    "$1/etc/ssl/certs/java/cacerts"
}
