// A cluster with 100,000 clients, as the page sees it: a server that forwards requests to a real node, and multiplies the
// rows of its lists. Responses therefore have the fields that the node sends.
import { createServer } from 'node:http';
import { connectDevice } from './devices.js';
import { furnish } from './samples.js';

const CLIENTS = 100_000;
const NODES = 9;
const RANGES = { dist: 60, inbox: 400, retain: 60 };
const SAMPLES = 360;
const SAMPLE_MS = 10_000;

const padded = (i) => String(i).padStart(6, '0');
const nodeId = (i) => `node${i % NODES}`;
const clientId = (i) => `meter-${padded(i)}`;
const topic = (i) => `site/${Math.floor(i / 100)}/meter/${padded(i)}`;
const minutesAgo = (i) => new Date(Date.now() - i * 60_000).toISOString();

// Lists by path: the number of rows, and what differs between them.
const LISTS = {
  '/clients': [CLIENTS, (i) => ({
    clientid: clientId(i), username: `user-${i % 500}`, node: nodeId(i), ip_address: `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, mqueue_len: i % 7,
  })],
  '/subscriptions': [CLIENTS, (i) => ({ clientid: clientId(i), topic: `${topic(i)}/#`, node: nodeId(i) })],
  '/mqtt/retainer/messages': [CLIENTS, (i) => ({ topic: topic(i), from_clientid: clientId(i), payload_bytes: i % 4_000 })],
  '/banned': [5_000, (i) => ({ who: clientId(i), as: 'clientid' })],
  '/audit': [10_000, (i) => ({ created_at: minutesAgo(i), target: clientId(i), node: nodeId(i) })],
  '/slow_subscriptions': [NODES * 10, (i) => ({ clientid: clientId(i), topic: topic(i), node: nodeId(i), timespan: 5_000 - i })],
};

// Arrays without pages.
const ARRAYS = {
  '/mqtt/topic_metrics': [512, (i) => ({ topic: topic(i) })],
  '/trace': [32, (i) => ({ name: `trace-${i}` })],
};

// Returns {url, close}. The object may stand for a node in checks.
export async function startLargeCluster(node) {
  const removeSamples = await furnish(node);
  const device = await connectDevice(node, 'sensor-1');
  await device.subscribeAsync('site/1/#', { qos: 1 });
  const cluster = new LargeCluster(node);
  const server = createServer((request, response) => {
    cluster.respond(request, response).catch((e) => response.writeHead(500).end(String(e.stack)));
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    logIn: (username, password) => node.logIn(username, password),
    async close() {
      server.closeAllConnections();
      server.close();
      await device.endAsync(true);
      await removeSamples();
    },
  };
}

class LargeCluster {
  constructor(node) {
    this.node = node;
    this.templates = new Map();
  }

  async respond(request, response) {
    const { pathname, searchParams } = new URL(request.url, this.node.url);
    const found = pathname.startsWith('/api/v5/') && request.method === 'GET'
      ? await this.find(pathname.slice('/api/v5'.length), searchParams) : null;
    if (found !== null) {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(found));
      return;
    }
    const { headers, status, body } = await this.forward(request);
    response.writeHead(status, headers).end(body);
  }

  async forward({ method, url, headers: { authorization } }) {
    const forwarded = await fetch(this.node.url + url, { method, headers: authorization ? { authorization } : {} });
    const headers = Object.fromEntries(['content-type', 'content-security-policy', 'cache-control'].map((name) => [name, forwarded.headers.get(name)])
      .filter(([, value]) => value !== null));
    return { status: forwarded.status, headers, body: Buffer.from(await forwarded.arrayBuffer()) };
  }

  // The response to a request for a list; null for other requests.
  async find(path, query) {
    if (LISTS[path]) {
      const [count, row] = LISTS[path];
      return page(count, row, await this.template(path), query);
    }
    if (ARRAYS[path]) {
      const [count, row] = ARRAYS[path];
      return multiply(0, count, row, await this.template(path));
    }
    switch (path) {
      case '/nodes': return multiply(0, NODES, (i) => ({ node: nodeId(i), name: `node ${i + 1}`, leads_metadata: i === 0 }), await this.template(path));
      case '/ranges': return this.ranges();
      case '/monitor': return this.samples();
      case '/monitor_current': return { ...await this.node.api('GET', path), connections: CLIENTS, subscriptions: CLIENTS };
      case '/topic_levels': return levels(query);
      case '/alarms': return page(40, (i) => ({ name: 'range_without_leader', details: { range: `inbox-${i}` } }), ALARM, query);
      case `/clients/sensor-1/events`: return this.events(path);
      default: return /^\/monitor_current\/nodes\//.test(path) ? this.node.api('GET', '/monitor_current') : null;
    }
  }

  // The first row of the real list.
  async template(path) {
    if (!this.templates.has(path)) {
      const found = await this.node.api('GET', path);
      const [first] = Array.isArray(found) ? found : found.data;
      this.templates.set(path, first ?? SLOW);
    }
    return this.templates.get(path);
  }

  async ranges() {
    const { data: [first] } = await this.node.api('GET', '/ranges');
    const data = Object.entries(RANGES).flatMap(([store, count]) => multiply(0, count, (i) => ({
      range: `${store}-${i}`,
      leader: nodeId(i),
      voters: [0, 1, 2].map((k) => ({ node: nodeId(i + k), lag: 0 })),
    }), first));
    return { data, meta: { page: 1, limit: data.length, hasnext: false, count: data.length } };
  }

  async samples() {
    const now = Math.floor(Date.now() / SAMPLE_MS) * SAMPLE_MS;
    const { connections, ...current } = await this.node.api('GET', '/monitor_current');
    return Array.from({ length: SAMPLES }, (_, i) => ({
      ...current,
      time_stamp: now - (SAMPLES - 1 - i) * SAMPLE_MS,
      connections: CLIENTS - (i % 50),
      received: 1_000_000 + 1_000 * (i % 37),
      sent: 1_500_000 + 1_000 * (i % 41),
      dropped: i % 60 === 0 ? 200 : 0,
    }));
  }

  async events(path) {
    const { data, meta } = await this.node.api('GET', path);
    return { data: multiply(0, 100, (i) => ({ at: minutesAgo(100 - i) }), data[0]), meta };
  }
}

const ALARM = { message: 'Range dist-1 has no leader, so it is unavailable; check the nodes and the network between them', node: nodeId(0), reported_by: [nodeId(0), nodeId(1)], activate_at: minutesAgo(5), duration: 300_000 };
const SLOW = { tenant: '', last_update_time: minutesAgo(1) };

const multiply = (from, to, row, template) => Array.from({ length: to - from }, (_, i) => ({ ...template, ...row(from + i) }));

// One page of a list whose rows are made on demand.
function page(count, row, template, query) {
  const limit = Number(query.get('limit') ?? 100);
  const wanted = query.get('like_clientid');
  if (wanted) {
    const data = multiply(0, count, row, template).filter((one) => one.clientid.includes(wanted)).slice(0, limit);
    return { data, meta: { page: 1, limit, hasnext: data.length === limit } };
  }
  const from = query.has('cursor') ? Number(query.get('cursor')) : (Number(query.get('page') ?? 1) - 1) * limit;
  const to = Math.min(count, from + limit);
  return { data: multiply(from, to, row, template), meta: { page: 1, limit, hasnext: to < count, count, ...(to < count ? { cursor: String(to) } : {}) } };
}

// site/0 to site/999, each with 100 meters.
function levels(query) {
  const prefix = query.get('prefix') ?? '';
  const depth = prefix.split('/').length - 1;
  const [count, name] = [[1, () => 'site'], [1_000, String], [1, () => 'meter'], [100, padded], [1, () => '#']][depth] ?? [0, String];
  return page(count, (i) => ({ level: name(i), topic: prefix + name(i), is_filter: depth === 4, below: depth < 4 ? 100 : 0 }), {}, query);
}
