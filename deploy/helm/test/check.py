"""Checks of the Helm chart; started by deploy/helm/test.sh with the paths of helm and of an installation, or "" without one,
and optionally --update."""

import difflib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import yaml

import manifests
import settings

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[2]
CHART = HERE.parent / "fjordmq"
GOLDEN = HERE / "golden"
RELEASE, NAMESPACE = "mq", "iot"

# The oldest version is that of kubeVersion in Chart.yaml; the newest is the newest whose schemas are available.
OLDEST, NEWEST = "1.27.0", "1.37.0"

HELM, INSTALLATION = sys.argv[1:3]
UPDATE = "--update" in sys.argv
failures = []


def fail(text):
    failures.append(text)
    print("FAILED " + text)


def helm(*arguments):
    return subprocess.run([HELM, *map(str, arguments)], capture_output=True, text=True)


def template(version, *arguments):
    return helm("template", RELEASE, CHART, "-n", NAMESPACE, "--kube-version", version, *arguments)


def cases():
    """Values files by name: those of the tests, and the profiles of the chart."""
    found = {path.stem: [path] for path in sorted((HERE / "cases").glob("*.yaml"))}
    for path in sorted((CHART / "profiles").glob("*.yaml")):
        found["profile-" + path.stem] = [HERE / "cases/default.yaml", path]
    return found


def values_arguments(paths):
    return [argument for path in paths for argument in ("-f", path)]


def check_lint():
    result = helm("lint", "--strict", CHART, "--kube-version", NEWEST)
    if result.returncode != 0:
        fail("lint: " + result.stdout + result.stderr)


def check_case(name, paths, keys):
    for version in (OLDEST, NEWEST):
        result = template(version, *values_arguments(paths))
        if result.returncode != 0:
            fail(f"{name}: helm template for {version}: {result.stderr.strip()}")
            return
        documents = [document for document in yaml.safe_load_all(result.stdout) if document]
        for problem in manifests.problems(documents, version):
            fail(f"{name}, Kubernetes {version}: {problem}")
    for problem in settings.problems(documents, keys):
        fail(f"{name}: {problem}")
    if not name.startswith("profile-"):
        if INSTALLATION:
            check_configuration(name, documents)
        compare(GOLDEN / (name + ".yaml"), readable(result.stdout))


def check_configuration(name, documents):
    """A node accepts the variables of the stateful set."""
    command = [INSTALLATION + "/bin/fjordmq", "config", "show", "--offline", "--json"]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("FJORDMQ_")}
    result = subprocess.run(command, capture_output=True, text=True, env=environment | settings.environment(documents))
    if result.returncode != 0:
        fail(f"{name}: a node refuses the variables: {result.stderr.strip()}")


def readable(text):
    """The manifests without alerts and dashboards, whose files have their own tests."""
    parts = text.split("---\n# Source: ")
    kept = [part for part in parts if "kind: PrometheusRule" not in part and "grafana_dashboard" not in part]
    return "---\n# Source: ".join(kept)


def compare(path, text):
    if UPDATE:
        path.write_text(text)
        return
    expected = path.read_text() if path.exists() else ""
    if text != expected:
        difference = difflib.unified_diff(
            expected.splitlines(), text.splitlines(), path.name, "rendered", lineterm="", n=1)
        shown = "\n".join(list(difference)[:60])
        fail(f"{path.name} differs; if this is intended, run deploy/helm/test.sh --update\n{shown}")


def check_refusals():
    """Each set of invalid values is refused with an error that names the value."""
    for bad in yaml.safe_load((HERE / "refused.yaml").read_text()):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            yaml.safe_dump(bad["values"], file)
            file.flush()
            result = template(NEWEST, "-f", HERE / "cases/default.yaml", "-f", file.name)
        if result.returncode == 0:
            fail(f"values are accepted: {bad['values']}")
        elif bad["error"] not in result.stderr:
            fail(f"the error for {bad['values']} does not contain '{bad['error']}': {result.stderr.strip()}")
    old = template("1.26.0", "-f", HERE / "cases/default.yaml")
    if old.returncode == 0:
        fail("Kubernetes 1.26 is accepted")


def check_schema_is_documented():
    """values.yaml shows every value that the schema allows."""
    schema = json.loads((CHART / "values.schema.json").read_text())
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    free = {"global", "nodePorts", "resources"}

    def compare_level(properties, shown, path):
        for key, inner in properties.items():
            if key in free:
                continue
            if key not in shown:
                fail(f"values.yaml does not show {path}{key}")
            elif "properties" in inner and isinstance(shown[key], dict) and shown[key]:
                compare_level(inner["properties"], shown[key], f"{path}{key}.")

    compare_level({k: v for k, v in schema["properties"].items() if k != "config"}, values, "")


def check_links():
    """Helm reads only files in the chart, and follows symbolic links: all alerts and dashboards are linked."""
    links = {CHART / "files/alerts.yml": ROOT / "ops/prometheus/alerts.yml"}
    for path in (ROOT / "ops/grafana").glob("*.json"):
        links[CHART / "files/dashboards" / path.name] = path
    for link, target in links.items():
        if not (link.is_symlink() and link.resolve() == target.resolve()):
            fail(f"{link.relative_to(ROOT)} is not a symbolic link to {target.relative_to(ROOT)}")


def check_version():
    """The chart installs the image of this source tree."""
    pom = (ROOT / "pom.xml").read_text()
    version = pom.split("<version>", 1)[1].split("</version>", 1)[0]
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    if chart["appVersion"] != version:
        fail(f"appVersion of Chart.yaml is {chart['appVersion']}, but pom.xml has {version}")


def main():
    keys = settings.known_keys(ROOT / "conf/standalone.yml")
    check_lint()
    check_links()
    check_version()
    check_schema_is_documented()
    all_cases = cases()
    for name, paths in all_cases.items():
        check_case(name, paths, keys)
    for path in GOLDEN.glob("*.yaml"):
        if path.stem not in all_cases:
            fail(f"{path.name} belongs to no case; delete it")
    check_refusals()
    for problem in settings.port_problems(ROOT, CHART) + settings.image_problems(ROOT, CHART):
        fail(problem)
    print(f"test.sh: {len(all_cases)} sets of values, {len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
