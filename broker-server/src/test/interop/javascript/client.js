// MQTT.js against a running broker: see ../README.md.
// Each check is a named function; the broker's address comes from MQTT_HOST and MQTT_PORT,
// that of its WebSocket listener from MQTT_WS_PORT.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import mqtt from "mqtt";

const HOST = process.env.MQTT_HOST ?? "127.0.0.1";
const PORT = process.env.MQTT_PORT ?? "1883";
const WS_PORT = process.env.MQTT_WS_PORT;
const WAIT = 20_000; // ms; generous, the machine may be busy
const QUIET = 500; // ms during which no message may arrive
const VERSIONS = { "3.1": 3, "3.1.1": 4, "5.0": 5 };

/** This broker does not have what a check is about. */
class Skipped extends Error {}

/** Settles with what the promise brings, or fails after WAIT. */
function inTime(promise, what) {
  const late = sleep(WAIT, null, { ref: false }).then(() => assert.fail(`${what}: nothing for ${WAIT} ms`));
  return Promise.race([promise, late]);
}

/** A client whose messages wait in a list, so that a check reads from top to bottom. */
class Client {
  static async connect(clientId, { version = "5.0", clean = true, expiry = 0, url, ...more } = {}) {
    const protocolVersion = VERSIONS[version];
    const options = {
      clientId,
      clean,
      protocolVersion,
      reconnectPeriod: 0,
      ...(protocolVersion === 3 && { protocolId: "MQIsdp" }),
      ...(protocolVersion === 5 && { properties: { sessionExpiryInterval: expiry } }),
      ...more,
    };
    const client = new Client();
    client.mqtt = mqtt.connect(url ?? `mqtt://${HOST}:${PORT}`, options);
    client.messages = [];
    client.mqtt.on("message", (topic, payload, packet) => {
      client.messages.push({ ...packet, topic, payload }); // the packet itself may have an alias only
      client.mqtt.emit("arrived");
    });
    client.mqtt.on("error", () => {}); // a check looks at the promise below
    const refused = once(client.mqtt, "close").then(() => assert.fail(`${clientId} was refused`));
    const connected = new Promise((done) => client.mqtt.once("connect", done));
    client.connack = await inTime(Promise.race([connected, refused]), "CONNACK");
    refused.catch(() => {});
    return client;
  }

  async message() {
    if (this.messages.length === 0) await inTime(once(this.mqtt, "arrived"), "PUBLISH");
    return this.messages.shift();
  }

  async nothing() {
    await sleep(QUIET);
    assert.equal(this.messages.length, 0, `unexpected message on ${this.messages[0]?.topic}`);
  }

  subscribe(filter, options) {
    return inTime(this.mqtt.subscribeAsync(filter, options), "SUBACK");
  }

  publish(topic, payload, options) {
    return inTime(this.mqtt.publishAsync(topic, payload, options), "acknowledgement");
  }

  end() {
    return inTime(this.mqtt.endAsync(), "end");
  }
}

const checks = {
  async "every quality of service in every version"() {
    for (const version of Object.keys(VERSIONS)) {
      const client = await Client.connect(`js-qos-${version}`, { version });
      await client.subscribe(`js/qos/${version}`, { qos: 2 });
      for (const qos of [0, 1, 2]) {
        const payload = randomBytes(100);
        await client.publish(`js/qos/${version}`, payload, { qos });
        const message = await client.message();
        assert.equal(message.qos, qos);
        assert.deepEqual(message.payload, payload);
      }
      await client.end();
    }
  },

  async "a large payload arrives unchanged"() {
    const client = await Client.connect("js-large");
    await client.subscribe("js/large", { qos: 1 });
    const payload = randomBytes(512 * 1024);
    await client.publish("js/large", payload, { qos: 1 });
    assert.deepEqual((await client.message()).payload, payload);
    await client.end();
  },

  async "a retained message waits for subscribers until it is cleared"() {
    const client = await Client.connect("js-retain", { version: "3.1.1" });
    await client.publish("js/retain", "kept", { qos: 1, retain: true });
    await client.subscribe("js/retain", { qos: 1 });
    const message = await client.message();
    assert(message.retain);
    assert.equal(String(message.payload), "kept");
    await client.publish("js/retain", "", { qos: 1, retain: true });
    await client.end();
    const later = await Client.connect("js-retain-later", { version: "3.1.1" });
    await later.subscribe("js/retain", { qos: 1 });
    await later.nothing();
    await later.end();
  },

  async "a persistent session gets what came while it was away"() {
    for (const version of ["3.1.1", "5.0"]) {
      const name = `js-away-${version}`;
      const topic = `js/away/${version}`;
      const session = { version, clean: false, expiry: 300 };
      const away = await Client.connect(name, session);
      await away.subscribe(topic, { qos: 1 });
      await away.end();
      const publisher = await Client.connect(`${name}-pub`, { version });
      for (let number = 0; number < 20; number++) await publisher.publish(topic, `${number}`, { qos: 1 });
      await publisher.end();
      const back = await Client.connect(name, session);
      assert(back.connack.sessionPresent);
      for (let number = 0; number < 20; number++) {
        assert.equal(String((await back.message()).payload), `${number}`);
      }
      await back.nothing();
      await back.end();
      await (await Client.connect(name, { version })).end();
    }
  },

  async "a will is published when the connection breaks, after its delay"() {
    const watcher = await Client.connect("js-will-watch");
    await watcher.subscribe("js/will", { qos: 1 });
    const will = { topic: "js/will", payload: "gone", qos: 1, properties: { willDelayInterval: 1 } };
    const doomed = await Client.connect("js-will", { will, expiry: 60 });
    doomed.mqtt.stream.destroy();
    await watcher.nothing();
    assert.equal(String((await watcher.message()).payload), "gone");
    await watcher.end();
    await (await Client.connect("js-will")).end();
  },

  async "a second connection takes the client identifier over"() {
    const first = await Client.connect("js-twice");
    const told = once(first.mqtt, "disconnect");
    const second = await Client.connect("js-twice");
    const [packet] = await inTime(told, "DISCONNECT");
    assert.equal(packet.reasonCode, 0x8e);
    await second.end();
  },

  async "properties travel with the message"() {
    const client = await Client.connect("js-properties");
    await client.subscribe("js/properties", { qos: 1 });
    const properties = {
      payloadFormatIndicator: true,
      contentType: "text/plain",
      responseTopic: "js/answer",
      correlationData: Buffer.from([0, 1]),
      userProperties: { a: ["1", "2"] },
    };
    await client.publish("js/properties", "text", { qos: 1, properties });
    const got = (await client.message()).properties;
    assert.deepEqual({ ...got, userProperties: { ...got.userProperties } }, properties);
    await client.end();
  },

  async "subscription identifiers and options are honoured"() {
    const client = await Client.connect("js-options");
    await client.subscribe("js/options/#", { qos: 1, properties: { subscriptionIdentifier: 300 } });
    await client.publish("js/options/x", "1", { qos: 1 });
    assert.equal((await client.message()).properties.subscriptionIdentifier, 300);
    await client.subscribe("js/own", { qos: 1, nl: true });
    await client.publish("js/own", "mine", { qos: 1 });
    await client.nothing();
    await client.end();
  },

  async "topic aliases work in both directions"() {
    const client = await Client.connect("js-alias", {
      properties: { topicAliasMaximum: 5 },
      autoUseTopicAlias: true,
      autoAssignTopicAlias: true,
    });
    assert(client.connack.properties.topicAliasMaximum > 0);
    await client.subscribe("js/alias/+", { qos: 1 });
    for (let number = 0; number < 30; number++) {
      await client.publish(`js/alias/${number % 3}`, `${number}`, { qos: 1 });
      const message = await client.message();
      assert.equal(message.topic, `js/alias/${number % 3}`);
      assert.equal(String(message.payload), `${number}`);
    }
    await client.end();
  },

  async "a shared subscription divides the messages"() {
    const members = await Promise.all([0, 1, 2].map((number) => Client.connect(`js-share-${number}`)));
    for (const member of members) await member.subscribe("$share/js/js/share", { qos: 1 });
    const publisher = await Client.connect("js-share-pub");
    for (let number = 0; number < 30; number++) await publisher.publish("js/share", `${number}`, { qos: 1 });
    const until = Date.now() + WAIT;
    const seen = () => members.flatMap((member) => member.messages.map((message) => Number(message.payload)));
    while (seen().length < 30 && Date.now() < until) await sleep(20);
    assert.deepEqual(seen().sort((a, b) => a - b), Array.from({ length: 30 }, (_, number) => number));
    for (const client of [...members, publisher]) await client.end();
  },

  async "a thousand messages at once arrive in order"() {
    const client = await Client.connect("js-burst");
    await client.subscribe("js/burst", { qos: 2 });
    const all = Array.from({ length: 1000 }, (_, number) => client.publish("js/burst", `${number}`, { qos: 2 }));
    await Promise.all(all);
    for (let number = 0; number < 1000; number++) {
      assert.equal(String((await client.message()).payload), `${number}`);
    }
    await client.end();
  },

  async "messages cross from WebSocket to TCP and back"() {
    if (!WS_PORT) throw new Skipped("MQTT_WS_PORT is not set");
    for (const version of Object.keys(VERSIONS)) {
      const web = await Client.connect(`js-ws-${version}`, { version, url: `ws://${HOST}:${WS_PORT}/mqtt` });
      const plain = await Client.connect(`js-ws-tcp-${version}`, { version });
      await web.subscribe("js/ws/to-web", { qos: 2 });
      await plain.subscribe("js/ws/to-tcp", { qos: 2 });
      const payload = randomBytes(100_000); // its length takes the longest form of a frame's header
      await web.publish("js/ws/to-tcp", payload, { qos: 2 });
      assert.deepEqual((await plain.message()).payload, payload);
      await plain.publish("js/ws/to-web", payload, { qos: 2 });
      assert.deepEqual((await web.message()).payload, payload);
      await web.end();
      await plain.end();
    }
  },
};

let failed = 0;
for (const [name, check] of Object.entries(checks)) {
  try {
    await check();
    console.log(`ok: ${name}`);
  } catch (error) {
    if (error instanceof Skipped) {
      console.log(`skipped: ${name}: ${error.message}`);
      continue;
    }
    failed++;
    console.log(`FAILED: ${name}: ${error.stack}`);
  }
}
process.exit(failed ? 1 : 0); // connections left by a failed check must not keep the process
