// Starts nodes with bin/standalone.sh, on free ports of the loopback address.
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PASSWORDS, TOKEN_SECRET } from './devices.js';

const run = promisify(execFile);
const HOME = process.env.FJORDMQ_HOME;
const WORK = process.env.WORK;

const listen = (port) => new Promise((resolve, reject) => {
  const server = createServer();
  server.once('error', reject);
  server.listen(port, '127.0.0.1', () => resolve(server));
});
const close = (server) => new Promise((resolve) => server.close(resolve));

// Free ports; the port after each is free as well, because Raft uses the one after the cluster port.
async function freePorts(count) {
  const held = [];
  const ports = [];
  while (ports.length < count) {
    const first = await listen(0);
    held.push(first);
    const port = first.address().port;
    try {
      held.push(await listen(port + 1));
      ports.push(port);
    } catch {
      // the next port is in use: try another one
    }
  }
  await Promise.all(held.map(close));
  return ports;
}

// A number of nodes that form a cluster. prepare: (node, i) => {} runs before the nodes are configured and started
export async function startCluster(name, count, prepare = () => {}) {
  const ports = await freePorts(count * 3);
  const nodes = Array.from({ length: count }, (_, i) => (
    { name: `${name}-${i + 1}`, mqtt: ports[i * 3], http: ports[i * 3 + 1], cluster: ports[i * 3 + 2] }));
  const started = nodes.map((node) => new Node(node));
  started.forEach((node, i) => {
    prepare(node, i);
    node.configure(nodes);
  });
  try {
    await started[0].start();
    await Promise.all(started.slice(1).map((node) => node.start()));
  } catch (e) {
    await Promise.all(started.map((node) => node.stop()));
    throw e;
  }
  return started;
}

class Node {
  constructor(node) {
    this.node = node;
    this.logins = new Map();
    this.folder = join(WORK, node.name);
    rmSync(this.folder, { recursive: true, force: true });
    mkdirSync(this.folder, { recursive: true });
    this.config = join(this.folder, 'node.yml');
  }

  configure(nodes) {
    writeFileSync(join(this.folder, 'passwords'), PASSWORDS, { mode: 0o600 });
    writeFileSync(this.config, configuration(this.node, nodes, this.folder));
  }

  get name() {
    return this.node.name;
  }

  get url() {
    return `http://127.0.0.1:${this.node.http}`;
  }

  get mqttUrl() {
    return `mqtt://127.0.0.1:${this.node.mqtt}`;
  }

  start() {
    return this.script('start');
  }

  stop() {
    return this.script('stop');
  }

  restart() {
    return this.script('restart');
  }

  // As if the host had lost power.
  kill() {
    process.kill(Number(readFileSync(join(this.folder, 'data/fjordmq.pid'), 'utf8').split(/\s/)[0]), 'SIGKILL');
  }

  async script(command, ...options) {
    await run(join(HOME, 'bin/standalone.sh'), [command, ...options, '-c', this.config, '-d', this.folder], {
      env: { ...process.env, FJORDMQ_JVM_OPTS: '-Xmx256m -XX:MaxDirectMemorySize=128m' },
    });
  }

  // Logs in once per user.
  logIn(username, password) {
    this.logins.has(username) || this.logins.set(username, this.api('POST', '/login', { username, password }));
    return this.logins.get(username);
  }

  // Calls the API as the user that runs the node.
  async api(method, path, body) {
    const { token } = JSON.parse(readFileSync(join(this.folder, 'data/control/api.json'), 'utf8'));
    const response = await fetch(`${this.url}/api/v5${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) {
      throw new Error(`${method} ${path}: ${response.status} ${text}`);
    }
    return text === '' ? null : JSON.parse(text);
  }
}

function configuration(node, nodes, folder) {
  return `bootstrap: ${node === nodes[0]}
mqttServerConfig:
  tcpListener:
    host: 127.0.0.1
    port: ${node.mqtt}
httpConfig:
  port: ${node.http}
securityConfig:
  allowAnonymous: true
  authentication:
    - type: jwt
      secret: ${TOKEN_SECRET}
      tenant: \${client_attrs.tenant}
    - type: passwordFile
      file: ${folder}/passwords
clusterConfig:
  env: Example
  nodeName: ${node.name}
  host: 127.0.0.1
  port: ${node.cluster}
${nodes.length === 1 ? '' : `  seedEndpoints: ${nodes.map((one) => `127.0.0.1:${one.cluster}`).join(',')}\n`}`;
}
