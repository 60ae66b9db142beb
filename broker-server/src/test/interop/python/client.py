"""Eclipse Paho for Python against a running broker: see ../README.md.

Each check is a function; its name is what it shows. The broker's address comes from MQTT_HOST and MQTT_PORT,
that of its WebSocket listener from MQTT_WS_PORT.
"""

import os
import queue
import sys
import time
import traceback

import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions

HOST = os.environ.get("MQTT_HOST", "127.0.0.1")
PORT = int(os.environ.get("MQTT_PORT", "1883"))
WS_PORT = os.environ.get("MQTT_WS_PORT")
WAIT = 20  # seconds; generous, the machine may be busy
QUIET = 0.5  # seconds during which no message may arrive

VERSIONS = {"3.1": mqtt.MQTTv31, "3.1.1": mqtt.MQTTv311, "5.0": mqtt.MQTTv5}


class Skipped(Exception):
    """The broker does not support the feature under test."""


class Client:
    """A paho client whose callbacks are queues, so that a check reads from top to bottom."""

    def __init__(
        self, name, version="5.0", clean=True, expiry=0, will=None, before=None, port=PORT, transport="tcp", **connect
    ):
        protocol = VERSIONS[version]
        five = protocol == mqtt.MQTTv5
        self.connected = queue.Queue()
        self.closed = queue.Queue()
        self.messages = queue.Queue()
        self.acknowledged = queue.Queue()
        self.subscribed = queue.Queue()
        options = {} if five else {"clean_session": clean}
        self.paho = mqtt.Client(
            mqtt.CallbackAPIVersion.VERSION2,
            client_id=name,
            protocol=protocol,
            transport=transport,
            **options,
        )
        self.paho.on_connect = lambda c, u, flags, reason, properties: self.connected.put(
            (flags.session_present, reason, properties)
        )
        self.paho.on_disconnect = lambda c, u, flags, reason, properties: self.closed.put(reason)
        self.paho.on_message = lambda c, u, message: self.messages.put(message)
        self.paho.on_publish = lambda c, u, mid, reason, properties: self.acknowledged.put((mid, reason))
        self.paho.on_subscribe = lambda c, u, mid, reasons, properties: self.subscribed.put(reasons)
        if will:
            self.paho.will_set(**will)
        if before:
            before(self.paho)
        if five:
            properties = Properties(PacketTypes.CONNECT)
            if expiry:
                properties.SessionExpiryInterval = expiry
            connect = {"clean_start": clean, "properties": properties, **connect}
        self.paho.connect(HOST, port, keepalive=60, **connect)
        self.paho.loop_start()
        self.session_present, reason, self.properties = self.connected.get(timeout=WAIT)
        assert not reason.is_failure, f"refused: {reason}"

    def subscribe(self, *arguments, **options):
        self.paho.subscribe(*arguments, **options)
        reasons = self.subscribed.get(timeout=WAIT)
        assert not any(reason.is_failure for reason in reasons), f"SUBACK {reasons}"
        return reasons

    def publish(self, topic, payload, **options):
        self.paho.publish(topic, payload, **options)
        return self.acknowledged.get(timeout=WAIT)[1]

    def message(self):
        return self.messages.get(timeout=WAIT)

    def nothing(self):
        try:
            unexpected = self.messages.get(timeout=QUIET)
        except queue.Empty:
            return
        raise AssertionError(f"unexpected message on {unexpected.topic}")

    def disconnect(self):
        self.paho.disconnect()
        self.closed.get(timeout=WAIT)
        self.paho.loop_stop()

    def vanish(self):
        """Drops the connection without DISCONNECT."""
        self.paho._sock_close()
        self.paho.loop_stop()


def every_quality_of_service_in_every_version():
    for version in VERSIONS:
        client = Client(f"py-qos-{version}", version)
        client.subscribe(f"py/qos/{version}", 2)
        for qos in (0, 1, 2):
            payload = bytes(range(256)) * (qos + 1)
            client.publish(f"py/qos/{version}", payload, qos=qos)
            message = client.message()
            assert (message.qos, message.payload) == (qos, payload), (version, qos, message.qos)
        client.disconnect()


def a_large_payload_arrives_unchanged():
    client = Client("py-large")
    client.subscribe("py/large", 1)
    payload = os.urandom(512 * 1024)
    client.publish("py/large", payload, qos=1)
    assert client.message().payload == payload
    client.disconnect()


def wildcards_match_whole_levels():
    client = Client("py-wild", "3.1.1")
    client.subscribe([("py/wild/+/t", 0), ("py/wild/hash/#", 0)])
    for topic in ("py/wild/a/t", "py/wild/a/b/t", "py/wild/hash", "py/wild/hash/x/y", "py/wildcat"):
        client.publish(topic, topic, qos=1)
    seen = sorted(client.message().topic for _ in range(3))
    assert seen == ["py/wild/a/t", "py/wild/hash", "py/wild/hash/x/y"], seen
    client.nothing()
    client.disconnect()


def a_retained_message_waits_for_subscribers_until_it_is_cleared():
    client = Client("py-retain")
    client.publish("py/retain", b"kept", qos=1, retain=True)
    client.subscribe("py/retain", 1)
    message = client.message()
    assert message.retain and message.payload == b"kept"
    client.publish("py/retain", b"", qos=1, retain=True)
    assert client.message().payload == b""
    client.disconnect()
    later = Client("py-retain-later")
    later.subscribe("py/retain", 1)
    later.nothing()
    later.disconnect()


def a_persistent_session_gets_what_came_while_it_was_away():
    for version in ("3.1", "3.1.1", "5.0"):
        name, topic = f"py-away-{version}", f"py/away/{version}"
        away = Client(name, version, clean=False, expiry=300)
        away.subscribe(topic, 2)
        away.disconnect()
        publisher = Client(name + "-pub", version)
        for number in range(20):
            publisher.publish(topic, str(number), qos=1 if number < 10 else 2)
        publisher.disconnect()
        back = Client(name, version, clean=False, expiry=300)
        assert version == "3.1" or back.session_present
        assert [int(back.message().payload) for _ in range(20)] == list(range(20))
        back.nothing()
        back.disconnect()
        Client(name, version, clean=True).disconnect()


def a_will_is_published_when_the_connection_breaks():
    watcher = Client("py-will-watch")
    watcher.subscribe("py/will", 1)
    doomed = Client("py-will", will={"topic": "py/will", "payload": b"gone", "qos": 1})
    doomed.vanish()
    assert watcher.message().payload == b"gone"
    polite = Client("py-will-polite", will={"topic": "py/will", "payload": b"never", "qos": 1})
    polite.disconnect()
    watcher.nothing()
    watcher.disconnect()


def a_second_connection_takes_the_client_identifier_over():
    first = Client("py-twice")
    second = Client("py-twice")
    assert "taken over" in str(first.closed.get(timeout=WAIT)).lower()
    first.paho.loop_stop()
    second.disconnect()


def properties_travel_with_the_message():
    client = Client("py-properties")
    client.subscribe("py/properties", options=SubscribeOptions(qos=1))
    properties = Properties(PacketTypes.PUBLISH)
    properties.PayloadFormatIndicator = 1
    properties.ContentType = "text/plain"
    properties.ResponseTopic = "py/answer"
    properties.CorrelationData = b"\x00\x01"
    properties.MessageExpiryInterval = 100
    properties.UserProperty = [("a", "1"), ("a", "2")]
    client.publish("py/properties", "text", qos=1, properties=properties)
    got = client.message().properties
    assert got.ContentType == "text/plain" and got.ResponseTopic == "py/answer"
    assert got.CorrelationData == b"\x00\x01" and got.PayloadFormatIndicator == 1
    assert got.UserProperty == [("a", "1"), ("a", "2")] and 90 <= got.MessageExpiryInterval <= 100
    client.disconnect()


def subscription_identifiers_and_options_are_honoured():
    client = Client("py-options")
    numbered = Properties(PacketTypes.SUBSCRIBE)
    numbered.SubscriptionIdentifier = 77
    client.subscribe("py/options/#", options=SubscribeOptions(qos=1), properties=numbered)
    client.publish("py/options/x", b"1", qos=1)
    assert client.message().properties.SubscriptionIdentifier == [77]
    client.subscribe("py/own", options=SubscribeOptions(qos=1, noLocal=True))
    client.publish("py/own", b"mine", qos=1)
    client.nothing()
    client.publish("py/kept", b"kept", qos=1, retain=True)
    client.subscribe("py/kept", options=SubscribeOptions(qos=1, retainHandling=2, retainAsPublished=True))
    client.nothing()
    client.publish("py/kept", b"again", qos=1, retain=True)
    assert client.message().retain
    client.publish("py/kept", b"", qos=1, retain=True)
    client.disconnect()


def a_shared_subscription_divides_the_messages():
    members = [Client(f"py-share-{number}") for number in range(3)]
    for member in members:
        member.subscribe("$share/py/py/share", 1)
    publisher = Client("py-share-pub")
    for number in range(30):
        publisher.publish("py/share", str(number), qos=1)
    seen, until = [], time.monotonic() + WAIT
    while len(seen) < 30 and time.monotonic() < until:
        for member in members:
            while not member.messages.empty():
                seen.append(int(member.messages.get().payload))
        time.sleep(0.01)
    assert sorted(seen) == list(range(30)), seen
    for client in [*members, publisher]:
        client.disconnect()


def the_server_names_a_client_without_identifier():
    client = Client("")
    assert client.properties.AssignedClientIdentifier
    client.disconnect()


def nobody_listening_is_said():
    client = Client("py-nobody")
    assert str(client.publish("py/nobody", b"", qos=1)) == "No matching subscribers"
    client.disconnect()


def a_small_receive_maximum_slows_but_loses_nothing():
    small = Properties(PacketTypes.CONNECT)
    small.ReceiveMaximum = 2
    client = Client("py-window", properties=small)
    client.subscribe("py/window", 2)
    publisher = Client("py-window-pub")
    for number in range(100):
        publisher.paho.publish("py/window", str(number), qos=2)
    assert [int(client.message().payload) for _ in range(100)] == list(range(100))
    client.disconnect()
    publisher.disconnect()


def messages_cross_from_websocket_to_tcp_and_back():
    if not WS_PORT:
        raise Skipped("MQTT_WS_PORT is not set")
    for version in VERSIONS:
        web = Client(f"py-ws-{version}", version, port=int(WS_PORT), transport="websockets")
        plain = Client(f"py-ws-tcp-{version}", version)
        web.subscribe("py/ws/to-web", 2)
        plain.subscribe("py/ws/to-tcp", 2)
        payload = os.urandom(100_000)  # its length takes the longest form of a frame's header
        web.publish("py/ws/to-tcp", payload, qos=2)
        assert plain.message().payload == payload, version
        plain.publish("py/ws/to-web", payload, qos=2)
        assert web.message().payload == payload, version
        web.disconnect()
        plain.disconnect()


CHECKS = [
    every_quality_of_service_in_every_version,
    a_large_payload_arrives_unchanged,
    wildcards_match_whole_levels,
    a_retained_message_waits_for_subscribers_until_it_is_cleared,
    a_persistent_session_gets_what_came_while_it_was_away,
    a_will_is_published_when_the_connection_breaks,
    a_second_connection_takes_the_client_identifier_over,
    properties_travel_with_the_message,
    subscription_identifiers_and_options_are_honoured,
    a_shared_subscription_divides_the_messages,
    the_server_names_a_client_without_identifier,
    nobody_listening_is_said,
    a_small_receive_maximum_slows_but_loses_nothing,
    messages_cross_from_websocket_to_tcp_and_back,
]


def main():
    failed = 0
    for check in CHECKS:
        name = check.__name__.replace("_", " ")
        try:
            check()
            print(f"ok: {name}", flush=True)
        except Skipped as why:
            print(f"skipped: {name}: {why}", flush=True)
        except Exception as error:  # a check that fails must not hide the others
            failed += 1
            print(f"FAILED: {name}: {error!r}", flush=True)
            traceback.print_exc()
    # Threads of clients left by a failed check must not keep the process.
    sys.stdout.flush()
    os._exit(1 if failed else 0)


if __name__ == "__main__":
    main()
