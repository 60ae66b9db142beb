package io.fjordmq.perf.load;

import io.fjordmq.perf.LoadClient;
import io.fjordmq.perf.MqttWire;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;

/**
 * Sends what its timetable says. What it cannot send in time, because the broker does not read or
 * has too many messages unacknowledged, it sends as soon as it can, under its intended time.
 */
final class Publisher {
  /** How many messages go into one write, should it be behind. */
  private static final int BATCH = 32;

  private static final int IDENTIFIERS = 65_535;

  private final int number;
  private final byte[] topic;
  private final Payload payload;
  private final int qos1Every;
  private final int version;
  private final LoadClient client;
  private final Lane lane;
  private final Stream acknowledged = new Stream();
  private final int window;
  private volatile int sent;
  private int sentQos1;

  /**
   * @param client connected
   * @param qos1Every every how many messages one is QoS 1; 0 for never
   */
  Publisher(
      int number,
      byte[] topic,
      Payload payload,
      int qos1Every,
      int version,
      LoadClient client,
      Lane lane) {
    this.number = number;
    this.topic = topic;
    this.payload = payload;
    this.qos1Every = qos1Every;
    this.version = version;
    this.client = client;
    this.lane = lane;
    this.window = client.receiveMaximum();
  }

  int number() {
    return number;
  }

  Lane lane() {
    return lane;
  }

  /** Messages so far. */
  int sent() {
    return sent;
  }

  /** QoS 1 messages without an acknowledgement. */
  long unacknowledged() {
    return acknowledged.missing(sentQos1);
  }

  /** False if something that is due could not be sent yet; true also if its connection is gone. */
  @SuppressWarnings("NonAtomicOperationOnVolatileField") // one event loop writes
  boolean send(Timetable timetable, long now) {
    int due = timetable.due(number, now);
    Channel channel = client.channel();
    while (sent < due && channel.isActive()) {
      if (!channel.isWritable() || isFull()) {
        return false;
      }
      ByteBuf out = channel.alloc().buffer(2 * topic.length + payload.bytes());
      for (int i = 0; i < BATCH && sent < due && !isFull(); i++) {
        long intended = timetable.intendedNanos(number, sent);
        write(out, intended);
        sent++;
        lane.sent.add(1);
        Lane.record(lane.lateness, intended, now);
      }
      channel.writeAndFlush(out, channel.voidPromise());
    }
    return true;
  }

  private boolean isQos1(int message) {
    return qos1Every > 0 && message % qos1Every == qos1Every - 1;
  }

  private boolean isFull() {
    return isQos1(sent) && sentQos1 - acknowledged.lowest() >= window;
  }

  private void write(ByteBuf out, long intended) {
    boolean qos1 = isQos1(sent);
    int identifier = 0;
    if (qos1) {
      identifier = sentQos1 % IDENTIFIERS + 1;
      sentQos1++;
      lane.sentQos1.add(1);
    }
    MqttWire.publish(out, version, topic, qos1 ? 1 : 0, identifier, payload.bytes());
    payload.write(out, intended, number, sent);
  }

  /** The identifier tells which message it was: they are given in turn. */
  void onPuback(Timetable timetable, int identifier) {
    int lowest = acknowledged.lowest();
    int ordinal = lowest + Math.floorMod(identifier - 1 - lowest % IDENTIFIERS, IDENTIFIERS);
    if (ordinal >= sentQos1 || acknowledged.accept(ordinal) == Stream.Outcome.DUPLICATE) {
      lane.strange.add(1);
      return;
    }
    lane.acknowledged.add(1);
    int message = ordinal * qos1Every + qos1Every - 1;
    Lane.record(lane.acknowledgement, timetable.intendedNanos(number, message), System.nanoTime());
  }
}
