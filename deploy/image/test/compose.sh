# shellcheck shell=bash
# Checks of deploy/compose that need no container engine. Sourced by ../test.sh, which sets here and work.
# shellcheck disable=SC2154

check_compose() {
  local folder="$here/../compose" repository="$here/../.." path tool
  # Every mounted file exists, every key is a configuration key, and nodes differ only in what they must.
  python3 -c 'import yaml' 2>/dev/null || { echo 'PyYAML is not installed; compose.yml is not parsed'; return 0; }
  while read -r path; do
    [ -e "$folder/$path" ] || fail "compose.yml mounts $path, which does not exist"
  done < <(python3 - "$folder/compose.yml" <<'PYTHON'
import sys, yaml
for service in yaml.safe_load(open(sys.argv[1]))["services"].values():
    for volume in service.get("volumes", []):
        if volume.startswith("."):
            print(volume.split(":")[0])
PYTHON
  )
  python3 - "$folder" "$repository/conf/standalone.yml" <<'PYTHON' || fail 'compose.yml has errors'
import sys, yaml
compose = yaml.safe_load(open(sys.argv[1] + "/compose.yml"))
known = open(sys.argv[2]).read()
keys = {}
def walk(value, path):
    if isinstance(value, dict):
        for key, inner in value.items():
            walk(inner, path + [key.upper()])
    keys["FJORDMQ_" + "__".join(path)] = value
walk(yaml.safe_load(known), [])
nodes = {name: service for name, service in compose["services"].items() if name.startswith("node")}
assert len(nodes) == 3, nodes.keys()
ports = set()
for name, node in nodes.items():
    unknown = [variable for variable in node["environment"] if variable not in keys]
    assert not unknown, unknown
    assert node["environment"]["FJORDMQ_CLUSTERCONFIG__HOST"] == name == node["hostname"]
    assert node["healthcheck"]["test"][-1] == "/readyz"
    assert all(port.startswith("127.0.0.1:") for port in node["ports"]), node["ports"]
    ports.update(node["ports"])
    assert node["volumes"] == [name + ":/var/lib/fjordmq"] and name in compose["volumes"]
assert len(ports) == 6, ports
for node in nodes.values():  # identical nodes form the cluster together: no node can create a second one
    assert node["environment"]["FJORDMQ_EXPECTNODES"] == str(len(nodes)), node["environment"]
    assert "FJORDMQ_BOOTSTRAP" not in node["environment"]
    seeds = node["environment"]["FJORDMQ_CLUSTERCONFIG__SEEDENDPOINTS"].split(",")
    assert sorted(seeds) == sorted(name + ":8899" for name in nodes), seeds
grafana = compose["services"]["grafana"]["environment"]
assert grafana["GF_SECURITY_ADMIN_PASSWORD"].startswith("${GRAFANA_PASSWORD:?"), "Grafana has a default password"
targets = yaml.safe_load(open(sys.argv[1] + "/prometheus.yml"))["scrape_configs"][0]["static_configs"]
assert sorted(t["targets"][0] for t in targets) == sorted(n + ":18083" for n in nodes), targets
for file in "datasource", "dashboards":
    assert yaml.safe_load(open(sys.argv[1] + f"/grafana/{file}.yml"))["apiVersion"] == 1
PYTHON
  if command -v promtool >/dev/null; then
    mkdir "$work/prometheus"
    cp "$folder/prometheus.yml" "$repository/ops/prometheus/alerts.yml" "$work/prometheus"
    promtool check config "$work/prometheus/prometheus.yml" >"$work/promtool" 2>&1 || fail "promtool: $(cat "$work/promtool")"
  else
    echo 'promtool is not installed; the configuration of Prometheus is not checked'
  fi
  for tool in 'docker compose' podman-compose; do
    $tool version >/dev/null 2>&1 || continue
    GRAFANA_PASSWORD='secret' $tool -f "$folder/compose.yml" config >/dev/null 2>"$work/compose" || fail "$tool config: $(cat "$work/compose")"
  done
}
