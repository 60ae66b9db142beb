// MQTT clients that play the devices.
import { createHmac, pbkdf2Sync } from 'node:crypto';
import mqtt from 'mqtt';

// The nodes accept tokens that are signed with it (nodes.js).
export const TOKEN_SECRET = 'only for tests, and long enough for HS256';

export function connectDevice(node, clientId, options = {}) {
  return mqtt.connectAsync(node.mqttUrl, { clientId, protocolVersion: 5, reconnectPeriod: 0, ...options });
}

// The credentials of devices of the default tenant, and their line in the password file of the nodes.
export const SENSOR = { username: 'sensor', password: 'only for tests' };
export const PASSWORDS = `${SENSOR.username}:$7$101$${Buffer.from('salt').toString('base64')}$${
  pbkdf2Sync(SENSOR.password, 'salt', 101, 64, 'sha512').toString('base64')}\n`;

// The credentials of a device of a tenant. Devices without credentials belong to the default tenant.
export function ofTenant(tenant, username = `${tenant}-user`) {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: username, client_attrs: { tenant } })}`;
  return { username, password: `${text}.${createHmac('sha256', TOKEN_SECRET).update(text).digest('base64url')}` };
}

// Persistent sessions with messages, so that ranges have keys to be split at.
export async function createSessions(node, count) {
  const properties = { sessionExpiryInterval: 3_600 };
  for (let from = 0; from < count; from += 20) {
    const ids = Array.from({ length: Math.min(20, count - from) }, (_, i) => `meter-${from + i}`);
    const clients = await Promise.all(ids.map((id) => connectDevice(node, id, { clean: false, properties })));
    await Promise.all(clients.map((client, i) => client.subscribeAsync(`site/${from + i}/#`, { qos: 1 })));
    await Promise.all(clients.map((client) => client.endAsync()));
  }
}
