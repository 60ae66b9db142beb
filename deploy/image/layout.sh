# shellcheck shell=bash
# Layers, and the JSON files around them: https://github.com/opencontainers/image-spec, and the manifest.json of
# 'docker save'. Sourced by build.sh, which sets work, arch, version, epoch and suite.
# shellcheck disable=SC2154

diffs=() layers=() histories=() docker_layers=()

digest() { sha256sum "$1" | cut -d ' ' -f 1; }

# Moves file $1 to the blobs and prints its digest.
blob() {
  local name
  name="$(digest "$1")"
  mv "$1" "$work/oci/blobs/sha256/$name"
  printf '%s' "$name"
}

joined() { local IFS=,; printf '%s' "$*"; } # the arguments, separated by commas

# Adds the directory $1 as a layer that belongs to root; $2 describes it. The directory $3 below it belongs to the user
# of the image. Members of group 0 may write there as well, because some platforms choose an arbitrary user.
add_layer() {
  local tar="$work/layer.tar" created name
  local options=(--sort=name --mtime="@$epoch" --numeric-owner --format=gnu)
  tar --create --file "$tar" --directory "$1" "${options[@]}" --owner=0 --group=0 .
  [ $# -lt 3 ] || tar --append --file "$tar" --directory "$3" "${options[@]}" --owner=1000 --group=0 --mode=0770 \
    ./var/lib/fjordmq
  diffs+=("\"sha256:$(digest "$tar")\"")
  gzip -n "$tar"
  created="$(date -u -d "@$epoch" +%Y-%m-%dT%H:%M:%SZ)"
  histories+=("{\"created\":\"$created\",\"created_by\":\"deploy/image/build.sh\",\"comment\":\"$2\"}")
  local size
  size="$(stat -c %s "$tar.gz")"
  name="$(blob "$tar.gz")"
  layers+=("{\"mediaType\":\"application/vnd.oci.image.layer.v1.tar+gzip\",\"digest\":\"sha256:$name\",\"size\":$size}")
  docker_layers+=("\"blobs/sha256/$name\"")
}

# Prints the configuration of the image.
image_config() {
  local created variant=''
  created="$(date -u -d "@$epoch" +%Y-%m-%dT%H:%M:%SZ)"
  [ "$arch" = amd64 ] || variant='"variant": "v8", '
  cat <<JSON
{"created": "$created", "architecture": "$arch", ${variant}"os": "linux",
 "config": {
  "User": "1000:1000",
  "ExposedPorts": {"1883/tcp": {}, "8883/tcp": {}, "8083/tcp": {}, "8084/tcp": {}, "18083/tcp": {}, "8899/tcp": {}, "8900/tcp": {}},
  "Env": ["PATH=/opt/fjordmq/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8",
   "HOME=/var/lib/fjordmq", "FJORDMQ_JAVA=/usr/lib/jvm/fjordmq/bin/java",
   "FJORDMQ_DATADIR=/var/lib/fjordmq/data", "FJORDMQ_LOGDIR=/var/lib/fjordmq/logs"],
  "Entrypoint": ["/opt/fjordmq/bin/entrypoint.sh"],
  "WorkingDir": "/opt/fjordmq",
  "Volumes": {"/var/lib/fjordmq": {}},
  "StopSignal": "SIGTERM",
  "Healthcheck": {"Test": ["CMD", "/opt/fjordmq/bin/healthcheck.sh"], "Interval": 15000000000, "Timeout": 10000000000, "StartPeriod": 120000000000, "Retries": 3},
  "Labels": {
   "org.opencontainers.image.title": "FjordMQ",
   "org.opencontainers.image.description": "Distributed MQTT broker",
   "org.opencontainers.image.version": "$version",
   "org.opencontainers.image.created": "$created",
   "org.opencontainers.image.licenses": "Apache-2.0",
   "org.opencontainers.image.base.name": "debian:$suite"}},
 "rootfs": {"type": "layers", "diff_ids": [$(joined "${diffs[@]}")]},
 "history": [$(joined "${histories[@]}")]}
JSON
}

# Writes everything but the layers to $work/oci.
write_layout() {
  local config manifest config_size manifest_size
  image_config >"$work/config.json"
  config_size="$(stat -c %s "$work/config.json")"
  config="$(blob "$work/config.json")"
  printf '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"sha256:%s","size":%s},"layers":[%s]}' \
    "$config" "$config_size" "$(joined "${layers[@]}")" >"$work/manifest"
  manifest_size="$(stat -c %s "$work/manifest")"
  manifest="$(blob "$work/manifest")"
  printf '{"imageLayoutVersion":"1.0.0"}' >"$work/oci/oci-layout"
  printf '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[{"mediaType":"application/vnd.oci.image.manifest.v1+json","digest":"sha256:%s","size":%s,"platform":{"architecture":"%s","os":"linux"},"annotations":{"io.containerd.image.name":"docker.io/library/fjordmq:%s","org.opencontainers.image.ref.name":"%s"}}]}' \
    "$manifest" "$manifest_size" "$arch" "$version" "$version" >"$work/oci/index.json"
  printf '[{"Config":"blobs/sha256/%s","RepoTags":["fjordmq:%s"],"Layers":[%s]}]' \
    "$config" "$version" "$(joined "${docker_layers[@]}")" >"$work/oci/manifest.json"
}
