"""Loads a cluster with MQTT 3.1.1 clients of all kinds: publishers of every QoS, transient and persistent subscribers,
retained messages, offline sessions, and clients that reconnect. Each port is that of a node.

Usage: load.py SECONDS PORT...
"""
import asyncio
import struct
import sys
import time

PAIRS = 10  # for each node and QoS
INTERVAL = 0.1  # seconds between the messages of a publisher


def text(value):
    data = value.encode()
    return struct.pack('>H', len(data)) + data


def packet(first, body):
    length, encoded = len(body), b''
    while True:
        length, digit = divmod(length, 128)
        encoded += bytes([digit | (128 if length else 0)])
        if not length:
            return bytes([first]) + encoded + body


class Client:
    """A connection that acknowledges what it receives."""

    def __init__(self):
        self.received = 0
        self.acknowledged = 0
        self.responses = asyncio.Queue()
        self.packet_id = 0

    @classmethod
    async def connect(cls, port, client_id, clean=True):
        self = cls()
        self.reader, self.writer = await asyncio.open_connection('127.0.0.1', port)
        self.send(0x10, text('MQTT') + bytes([4, 2 if clean else 0]) + struct.pack('>H', 60) + text(client_id))
        self.task = asyncio.create_task(self.read())
        connack = await self.response(0x20)
        if connack[1] != 0:
            raise SystemExit(f'load.py: client {client_id} was refused with code {connack[1]}')
        return self

    def send(self, first, body):
        self.writer.write(packet(first, body))

    async def response(self, kind):
        first, body = await asyncio.wait_for(self.responses.get(), 30)
        if first & 0xF0 != kind:
            raise SystemExit(f'load.py: expected packet type {kind:#x}, but received {first:#x}')
        return body

    async def read(self):
        try:
            while True:
                first = (await self.reader.readexactly(1))[0]
                length, shift = 0, 0
                while True:
                    digit = (await self.reader.readexactly(1))[0]
                    length |= (digit & 127) << shift
                    shift += 7
                    if digit < 128:
                        break
                self.handle(first, await self.reader.readexactly(length))
        except (asyncio.IncompleteReadError, ConnectionError):
            pass

    def handle(self, first, body):
        kind, qos = first & 0xF0, first >> 1 & 3
        if kind == 0x30:
            self.received += 1
            after_topic = 2 + struct.unpack('>H', body[:2])[0]
            if qos:
                self.send(0x40 if qos == 1 else 0x50, body[after_topic:after_topic + 2])
        elif kind == 0x50:  # PUBREC
            self.send(0x62, body)
        elif kind == 0x60:  # PUBREL
            self.send(0x70, body)
        elif kind in (0x40, 0x70):  # PUBACK, PUBCOMP
            self.acknowledged += 1
        else:
            self.responses.put_nowait((first, body))

    async def subscribe(self, topic_filter, qos):
        self.send(0x82, b'\0\1' + text(topic_filter) + bytes([qos]))
        await self.response(0x90)

    def publish(self, topic, payload, qos, retain=False):
        body = text(topic)
        if qos:
            self.packet_id = self.packet_id % 65535 + 1
            body += struct.pack('>H', self.packet_id)
        self.send(0x30 | qos << 1 | retain, body + payload)

    async def close(self):
        self.send(0xE0, b'')
        await self.writer.drain()
        self.writer.close()
        self.task.cancel()


async def publish(client, topic, qos, until, retain=False):
    sent = 0
    while time.monotonic() < until:
        client.publish(topic, b'x' * 64, qos, retain)
        sent += 1
        await client.writer.drain()
        await asyncio.sleep(INTERVAL)
    return sent


async def reconnect(port, client_id, until):
    while time.monotonic() < until:
        client = await Client.connect(port, client_id)
        await client.subscribe(f'reconnects/{client_id}', 1)
        await asyncio.sleep(0.5)
        await client.close()


async def main(seconds, ports):
    until = time.monotonic() + seconds
    subscribers, publishers, work = [], [], []
    for node, port in enumerate(ports):
        other = ports[(node + 1) % len(ports)]
        for qos in range(3):
            for pair in range(PAIRS):
                name = f'{node}-{qos}-{pair}'
                subscriber = await Client.connect(other, f'sub-{name}', clean=pair % 2 == 0)
                await subscriber.subscribe(f'load/{name}', qos)
                publisher = await Client.connect(port, f'pub-{name}')
                subscribers.append(subscriber)
                publishers.append(publisher)
                work.append(publish(publisher, f'load/{name}', qos, until, retain=pair == 0))
        offline = await Client.connect(port, f'offline-{node}', clean=False)
        await offline.subscribe('load/#', 1)
        await offline.close()
        work += [reconnect(port, f'back-{node}-{i}', until) for i in range(3)]
    sent = sum(count for count in await asyncio.gather(*work) if count)
    await asyncio.sleep(2)
    received = sum(subscriber.received for subscriber in subscribers)
    print(f'load.py: {sent} messages sent, {received} received')
    if received < sent * 0.9:
        raise SystemExit('load.py: more than a tenth of the messages has not been received')


asyncio.run(main(float(sys.argv[1]), [int(port) for port in sys.argv[2:]]))
