"""Runs every query of Grafana dashboards and checks that each returns data. Also checks that Prometheus reaches all its
targets and can evaluate all rules, and that no alert fires.

Usage: panels.py PROMETHEUS_URL FOLDER EMPTY

EMPTY lists the queries that may return nothing: file | panel | refId | reason.
"""
import json
import math
import pathlib
import sys
import urllib.parse
import urllib.request

URL, FOLDER, EMPTY = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
VARIABLES = {'$job': 'fjordmq', '$node': '.*', '$__rate_interval': '20s'}
failures = []


def get(path, **parameters):
    query = urllib.parse.urlencode(parameters)
    try:
        with urllib.request.urlopen(f'{URL}/api/v1/{path}?{query}', timeout=30) as response:
            return json.load(response)['data']
    except urllib.error.HTTPError as e:
        raise SystemExit(f'panels.py: {parameters}: {json.load(e)["error"]}')


def has_data(result):
    """Whether a series has a value; a quantile of no observations is not a number."""
    return any(not math.isnan(float(series['value'][1])) for series in result)


def check_panels():
    allowed = {}
    for line in EMPTY.read_text().splitlines():
        if line and not line.startswith('#'):
            file, panel, ref, reason = (part.strip() for part in line.split('|'))
            allowed[file, panel, ref] = reason
    seen, queries = set(), 0
    for file in sorted(FOLDER.glob('*.json')):
        for panel in json.loads(file.read_text())['panels']:
            for target in panel.get('targets', []):
                expression = target['expr']
                for name, value in VARIABLES.items():
                    expression = expression.replace(name, value)
                key = file.name, panel['title'], target['refId']
                seen.add(key)
                queries += 1
                if not has_data(get('query', query=expression)['result']) and key not in allowed:
                    failures.append(f'{" / ".join(key)}: no data: {expression}')
    failures.extend(f'{EMPTY}: no such query: {" | ".join(key)}' for key in allowed.keys() - seen)
    print(f'panels.py: {queries} queries, {len(allowed)} of which may return nothing')


def check_prometheus():
    targets = get('targets')['activeTargets']
    failures.extend(f'target {t["scrapeUrl"]}: {t["lastError"]}' for t in targets if t['health'] != 'up')
    rules = [rule for group in get('rules')['groups'] for rule in group['rules']]
    failures.extend(f'rule {r["name"]}: {r.get("lastError")}' for r in rules if r['health'] != 'ok')
    firing = get('query', query='ALERTS{alertstate="firing"}')['result']
    failures.extend(f'alert on a healthy cluster: {alert["metric"]}' for alert in firing)
    print(f'panels.py: {len(targets)} targets, {len(rules)} rules, {len(firing)} firing')


check_prometheus()
check_panels()
for failure in failures:
    print(f'FAILED: {failure}')
sys.exit(1 if failures else 0)
