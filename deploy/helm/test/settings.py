"""Compares variables, ports and paths of the chart with the settings of FjordMQ."""

import re

import yaml

KEY = re.compile(r"^( *)(?:# ?)?( *)([a-zA-Z][a-zA-Z0-9]*):(?:\s|$)")

# Variables of the start script, which are not configuration keys.
SCRIPT = {"FJORDMQ_JVM_OPTS", "FJORDMQ_API_URL", "FJORDMQ_API_KEY", "FJORDMQ_API_SECRET"}
# The name of a tenant may contain any character.
TENANT = re.compile(r"FJORDMQ_TENANTS__.+?__([A-Z]+CONFIG__.+)")
PROVIDER = re.compile(r"FJORDMQ_SECURITYCONFIG__AUTH(ENTICATION|ORIZATION)__[0-9]+__.+")


def known_keys(file):
    """The keys of the configuration file and their defaults, including those in comments, such as those of listeners."""
    keys, path = {}, []
    for line in file.read_text().splitlines():
        match = KEY.match(line)
        if not match:
            continue
        indent = len(match.group(1)) + len(match.group(2))
        path = [entry for entry in path if entry[0] < indent] + [(indent, match.group(3))]
        keys[".".join(name for _, name in path)] = line[match.end(3) + 1:].split("#")[0].strip()
    return keys


def variable_names(documents):
    for document in documents:
        spec = document.get("spec", {})
        pod = spec.get("template", {}).get("spec", spec)
        for container in pod.get("initContainers", []) + pod.get("containers", []):
            for variable in container.get("env", []):
                yield variable["name"]


def problems(documents, keys):
    """Lists variables that are no configuration keys."""
    known = {"FJORDMQ_" + key.upper().replace(".", "__") for key in keys}
    return [f"{name} is not a configuration key" for name in sorted(set(variable_names(documents)))
            if name.startswith("FJORDMQ_") and TENANT.sub(r"FJORDMQ_\1", name) not in known | SCRIPT
            and not PROVIDER.fullmatch(name)]


def port_problems(root, chart):
    """Lists ports, paths and users that differ from the defaults of FjordMQ and from the image."""
    keys = known_keys(root / "conf/standalone.yml")
    values = yaml.safe_load((chart / "values.yaml").read_text())
    pod = (chart / "templates/_pod.tpl").read_text()
    container = dict(re.findall(r"- name: (\w+)\n  containerPort: (\d+)", pod))
    expected = {
        "mqtt": keys["mqttServerConfig.tcpListener.port"],
        "mqttssl": keys["mqttServerConfig.tlsListener.port"],
        "ws": keys["mqttServerConfig.wsListener.port"],
        "wss": keys["mqttServerConfig.wssListener.port"],
        "dashboard": keys["httpConfig.port"],
        "cluster": keys["clusterConfig.port"],
        "raft": str(int(keys["clusterConfig.port"]) + 1),
    }
    found = [f"port {name} is {container.get(name)}, but FjordMQ uses {port}"
             for name, port in expected.items() if container.get(name) != port]
    found += [f"service.{name} is {values['service'][name]}, but FjordMQ uses {port}"
              for name, port in expected.items() if name in values["service"] and str(values["service"][name]) != port
              and name != "dashboard"]
    if values["service"]["dashboard"] != 0:
        found.append("service.dashboard exposes the API by default")
    handler = root / "broker-server/src/main/java/io/fjordmq/broker/http/PageHandler.java"
    stateful_set = (chart / "templates/statefulset.yaml").read_text()
    for path in re.findall(r'"fjordmq.probe" \(list \. "([^"]+)"', stateful_set):
        if f'"{path}"' not in handler.read_text():
            found.append(f"probe {path}: FjordMQ has no such page")
    return found


def image_problems(root, chart):
    """Lists differences from the image: its user, volume and ports."""
    layout = root / "deploy/image/layout.sh"
    if not layout.exists():
        return [f"{layout.relative_to(root)} does not exist"]
    image = layout.read_text()
    values = yaml.safe_load((chart / "values.yaml").read_text())
    context = values["podSecurityContext"]
    pod = (chart / "templates/_pod.tpl").read_text()
    found = []
    if f'"User": "{context["runAsUser"]}:{context["runAsGroup"]}"' not in image:
        found.append("the image runs as another user than podSecurityContext")
    mount = re.search(r"- name: data\n  mountPath: (\S+)", pod).group(1)
    if f'"Volumes": {{"{mount}": {{}}}}' not in image:
        found.append(f"the image has no volume {mount}")
    found += [f"the image does not expose port {port}" for port in re.findall(r"containerPort: (\d+)", pod)
              if f'"{port}/tcp"' not in image]
    return found


def environment(documents):
    """The variables of a node, with values in place of references."""
    maps = {document["metadata"]["name"]: document["data"] for document in documents if document["kind"] == "ConfigMap"}
    stateful_set = next(document for document in documents if document["kind"] == "StatefulSet")
    variables = {}
    for variable in stateful_set["spec"]["template"]["spec"]["containers"][0]["env"]:
        name, source = variable["name"], variable.get("valueFrom", {})
        if "configMapKeyRef" in source:
            variables[name] = maps[source["configMapKeyRef"]["name"]][source["configMapKeyRef"]["key"]]
        elif "fieldRef" in source:
            variables[name] = {"metadata.name": "mq-fjordmq-0", "status.podIP": "10.0.0.1"}[source["fieldRef"]["fieldPath"]]
        elif "secretKeyRef" in source:
            variables[name] = "name=secret" if name.endswith("HEADERS") else "secret"
        else:
            variables[name] = variable["value"]
    return variables
