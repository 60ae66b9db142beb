// Something to see in the views that would be empty otherwise.

const NETWORK = '192.0.2.0/24';
const TRACE = 'sensor-1';
const TOPIC = 'site/1/temperature';
const USERS = '/authentication/password_based:built_in_database/users';
const RULES = '/authorization/sources/built_in_database/rules';
const MQTT_USERS = [
  { user_id: 'sensor', groups: ['sensors'], client_attrs: { site: 'oslo' } },
  { user_id: 'dashboard', groups: ['readers'] },
  { user_id: 'service', is_superuser: true },
  { user_id: 'old-gateway', groups: ['sensors', 'gateways'], enable: false },
];
const USER_RULES = [
  { username: 'sensor', rules: [
    { permission: 'allow', action: 'publish', topic: 'site/+/temperature', qos: [0, 1] },
    { permission: 'allow', action: 'subscribe', topic: 'site/+/command' },
  ] },
  { username: 'dashboard', rules: [
    { permission: 'deny', action: 'subscribe', topic: 'site/+/command' },
    { permission: 'allow', action: 'subscribe', topic: 'site/#' },
  ] },
];

// Returns a function that removes it.
export async function furnish(node) {
  const inAWeek = new Date(Date.now() + 7 * 86_400_000).toISOString();
  await node.api('POST', '/publish', { topic: 'site/1/label', payload: 'Boiler room', qos: 1, retain: true });
  await node.api('POST', '/banned', { as: 'peerhost_net', who: NETWORK, reason: 'guesses passwords', until: inAWeek });
  await node.api('POST', '/trace', { name: TRACE, type: 'clientid', clientid: 'sensor-1' });
  await node.api('POST', '/mqtt/topic_metrics', { topic: TOPIC });
  for (const user of MQTT_USERS) {
    await node.api('POST', USERS, { password: 'only for tests', is_superuser: false, enable: true, ...user });
  }
  await node.api('POST', `${RULES}/users`, USER_RULES);
  await node.api('POST', `${RULES}/all`, { rules: [{ permission: 'allow', action: 'subscribe', topic: 'news/#' }] });
  await node.api('PUT', '/configs', { values: { 'sessionConfig.maxQueuedMessages': '500' } });
  return async () => {
    await node.api('DELETE', '/mqtt/retainer/message/site%2F1%2Flabel');
    await node.api('DELETE', `/banned/peerhost_net/${encodeURIComponent(NETWORK)}`);
    await node.api('DELETE', `/trace/${TRACE}`);
    await node.api('DELETE', `/mqtt/topic_metrics/${encodeURIComponent(TOPIC)}`);
    for (const { user_id: user } of MQTT_USERS) {
      await node.api('DELETE', `${USERS}/${user}`);
    }
    for (const { username } of USER_RULES) {
      await node.api('DELETE', `${RULES}/users/${username}`);
    }
    await node.api('DELETE', `${RULES}/all`);
    await node.api('DELETE', '/configs/sessionConfig.maxQueuedMessages');
  };
}
