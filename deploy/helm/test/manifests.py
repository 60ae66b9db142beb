"""Checks of rendered manifests: the schemas of Kubernetes, and references between the manifests."""

import kubernetes_validate

# Not part of Kubernetes; compared with the golden files only.
CUSTOM = {"Certificate", "Issuer", "ServiceMonitor", "PrometheusRule"}
MAX_NAME = 63


def problems(documents, version):
    """Describes everything that is wrong with the manifests of a release."""
    found = []
    for document in documents:
        found += schema_problems(document, version)
        if len(document["metadata"]["name"]) > MAX_NAME:
            found.append(f"name too long: {document['metadata']['name']}")
    for title, template in pod_templates(documents):
        found += [f"{title}: {problem}" for problem in pod_problems(template, documents)]
    return found + selector_problems(documents)


def schema_problems(document, version):
    if document["kind"] in CUSTOM:
        return []
    try:
        kubernetes_validate.validate(document, ".".join(version.split(".")[:2]), strict=True)
    except kubernetes_validate.ValidationError as error:
        where = ".".join(str(part) for part in error.path)
        return [f"{document['kind']} {document['metadata']['name']}: {where}: {error.message}"]
    return []


def pod_templates(documents):
    """Pairs of a title and a pod template: metadata and spec."""
    for document in documents:
        title = f"{document['kind']} {document['metadata']['name']}"
        if document["kind"] in ("StatefulSet", "Job"):
            yield title, dict(document["spec"]["template"], claims=document["spec"].get("volumeClaimTemplates", []))
        elif document["kind"] == "Pod":
            yield title, document


def pod_problems(template, documents):
    spec, found = template["spec"], []
    if spec.get("automountServiceAccountToken") is not False:
        found.append("the token of the service account is mounted")
    security = spec.get("securityContext", {})
    if not security.get("runAsNonRoot") or "seccompProfile" not in security:
        found.append("the pod may run as root or without seccomp")
    volumes = {volume["name"] for volume in spec.get("volumes", [])}
    volumes |= {claim["metadata"]["name"] for claim in template.get("claims", [])}
    for container in spec.get("initContainers", []) + spec["containers"]:
        found += [f"{container['name']}: {problem}" for problem in container_problems(container, volumes, documents)]
    mounted = {mount["name"] for container in spec.get("initContainers", []) + spec["containers"]
               for mount in container.get("volumeMounts", [])}
    return found + [f"volume {name} is not mounted" for name in sorted(volumes - mounted)]


def container_problems(container, volumes, documents):
    found, security = [], container.get("securityContext", {})
    restricted = (not security.get("allowPrivilegeEscalation", True) and security.get("readOnlyRootFilesystem")
                  and security.get("capabilities", {}).get("drop") == ["ALL"])
    if not restricted:
        found.append("the security context does not restrict the container")
    for mount in container.get("volumeMounts", []):
        if mount["name"] not in volumes:
            found.append(f"no volume {mount['name']}")
    names = [variable["name"] for variable in container.get("env", [])]
    found += [f"variable {name} is set twice" for name in sorted(set(names)) if names.count(name) > 1]
    for variable in container.get("env", []):
        reference = variable.get("valueFrom", {}).get("configMapKeyRef")
        if reference and not any(reference["key"] in document.get("data", {}) for document in documents
                                 if document["kind"] == "ConfigMap" and document["metadata"]["name"] == reference["name"]):
            found.append(f"variable {variable['name']}: no key {reference['key']} in config map {reference['name']}")
    memory = container.get("resources", {}).get("limits", {}).get("memory")
    if not memory:
        found.append("no memory limit")
    return found


def selector_problems(documents):
    """Services, policies and budgets must select the pods of the stateful set, and name its ports."""
    stateful_set = next(document for document in documents if document["kind"] == "StatefulSet")
    template, found = stateful_set["spec"]["template"], []
    labels = template["metadata"]["labels"]
    ports = {port["name"] for container in template["spec"]["containers"] for port in container.get("ports", [])}
    for document in documents:
        spec, title = document.get("spec", {}), f"{document['kind']} {document['metadata']['name']}"
        selector = {"Service": lambda: spec["selector"], "NetworkPolicy": lambda: spec["podSelector"]["matchLabels"],
                    "PodDisruptionBudget": lambda: spec["selector"]["matchLabels"],
                    "StatefulSet": lambda: spec["selector"]["matchLabels"]}.get(document["kind"])
        if selector and not selector().items() <= labels.items():
            found.append(f"{title} does not select the pods")
        named = []
        if document["kind"] == "Service":
            named = [port["targetPort"] for port in spec["ports"]]
        elif document["kind"] == "NetworkPolicy":
            named = [port["port"] for rule in spec["ingress"] for port in rule["ports"]]
        found += [f"{title}: no port {name}" for name in named if name not in ports]
    services = {document["metadata"]["name"]: document["spec"] for document in documents
                if document["kind"] == "Service"}
    if stateful_set["spec"]["serviceName"] not in services:
        found.append("the service of the stateful set does not exist")
    return found + ingress_problems(documents, services)


def ingress_problems(documents, services):
    """An ingress must name a port of a service that only the Kubernetes cluster can reach."""
    found = []
    for document in documents:
        if document["kind"] != "Ingress":
            continue
        for rule in document["spec"]["rules"]:
            for path in rule["http"]["paths"]:
                backend = path["backend"]["service"]
                service = services.get(backend["name"], {"ports": []})
                if backend["port"]["name"] not in [port["name"] for port in service["ports"]]:
                    found.append(f"the ingress names {backend['name']}, which has no port {backend['port']['name']}")
                elif service["type"] != "ClusterIP":
                    found.append(f"the ingress uses service {backend['name']} of type {service['type']}")
    return found
