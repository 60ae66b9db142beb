package io.fjordmq.perf.load;

import io.fjordmq.perf.LoadClient;
import io.fjordmq.perf.MqttPacketWriter;
import io.fjordmq.perf.check.QosMix;
import io.fjordmq.perf.check.SequenceTracker;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;

/**
 * Publishes on a schedule. If the broker stops reading or too many messages are unacknowledged, due
 * messages wait and are sent as soon as possible; they keep their scheduled times.
 */
final class Publisher {
  /** Maximum number of messages per write when the publisher is behind schedule. */
  private static final int BATCH = 32;

  private static final int IDENTIFIERS = 65_535;

  private final int number;
  private final byte[] topic;
  private final Payload payload;
  private final QosMix mix;
  private final int version;
  private final int qos;
  private final EventLoopLoad loopLoad;
  private final SequenceTracker acknowledged = new SequenceTracker();
  private LoadClient client;
  private int window;
  private volatile boolean paused;
  private volatile int sent;

  /** Messages that were due while the client was disconnected. */
  private volatile int skipped;

  private int acknowledgeable;

  /**
   * @param qos QoS of the messages that do not have QoS 0
   * @param mix determines which messages have that QoS
   * @param client a connected client
   */
  Publisher(
      int number,
      byte[] topic,
      Payload payload,
      int qos,
      QosMix mix,
      int version,
      LoadClient client,
      EventLoopLoad loopLoad) {
    this.number = number;
    this.topic = topic;
    this.payload = payload;
    this.qos = qos;
    this.mix = mix;
    this.version = version;
    this.client = client;
    this.loopLoad = loopLoad;
    this.window = client.receiveMaximum();
  }

  int number() {
    return number;
  }

  EventLoopLoad loopLoad() {
    return loopLoad;
  }

  /** Returns the number of messages sent so far. */
  int sent() {
    return sent;
  }

  /** Returns the number of messages with QoS 1 or 2 without an acknowledgement. */
  long unacknowledged() {
    return acknowledged.missing(acknowledgeable, number -> true).lost();
  }

  /**
   * Sends all messages that are due. Returns false if some of them could not be sent yet; returns
   * true if the connection is lost, because they will never be sent.
   */
  @SuppressWarnings("NonAtomicOperationOnVolatileField") // written by one event loop
  boolean send(Schedule schedule, long now) {
    if (paused) {
      return true;
    }
    int due = schedule.due(number, now) - skipped;
    Channel channel = client.channel();
    while (sent < due && channel.isActive()) {
      if (!channel.isWritable() || isFull()) {
        return false;
      }
      ByteBuf out = channel.alloc().buffer(2 * topic.length + payload.bytes());
      for (int i = 0; i < BATCH && sent < due && !isFull(); i++) {
        long intended = schedule.intendedNanos(number, sent + skipped);
        write(out, intended);
        sent++;
        loopLoad.sent.add(1);
        // Not with "now", because earlier messages took time.
        loopLoad.record(loopLoad.lateness, intended);
      }
      channel.writeAndFlush(out, channel.voidPromise());
    }
    return true;
  }

  /** Returns the number of messages that are due but not sent yet. */
  long overdue(Schedule schedule, long now) {
    return paused ? 0 : schedule.due(number, now) - skipped - sent;
  }

  /** Stops publishing until {@link #resume}. */
  void pause() {
    paused = true;
  }

  /**
   * Resumes over a new connection on the same event loop, with the messages that are due from now
   * on.
   */
  void resume(LoadClient connected, Schedule schedule, long now) {
    client = connected;
    window = connected.receiveMaximum();
    skipped = schedule.due(number, now) - sent;
    paused = false;
  }

  /**
   * Returns whether the broker has acknowledged the message; true for QoS 0. Must be called after
   * the publisher has stopped.
   */
  boolean isAcknowledged(int message) {
    return !mix.isAcknowledged(message)
        || acknowledged.isReceived(message / mix.acknowledgedEvery());
  }

  private boolean isFull() {
    return mix.isAcknowledged(sent) && acknowledgeable - acknowledged.lowest() >= window;
  }

  private void write(ByteBuf out, long intended) {
    boolean needsAck = mix.isAcknowledged(sent);
    int identifier = 0;
    if (needsAck) {
      identifier = acknowledgeable % IDENTIFIERS + 1;
      acknowledgeable++;
      loopLoad.acknowledgeable.add(1);
    }
    MqttPacketWriter.publish(out, version, topic, needsAck ? qos : 0, identifier, payload.bytes());
    payload.write(out, intended, number, sent);
  }

  /**
   * Handles a PUBACK or PUBCOMP. The identifier determines the message, because identifiers are
   * assigned in order.
   */
  void onPuback(Schedule schedule, int identifier) {
    int lowest = acknowledged.lowest();
    int ordinal = lowest + Math.floorMod(identifier - 1 - lowest % IDENTIFIERS, IDENTIFIERS);
    if (ordinal >= acknowledgeable
        || acknowledged.accept(ordinal) == SequenceTracker.Outcome.DUPLICATE) {
      loopLoad.unexpected.add(1);
      return;
    }
    loopLoad.acknowledged.add(1);
    int every = mix.acknowledgedEvery();
    int message = ordinal * every + every - 1;
    long intended = schedule.intendedNanos(number, message + skipped);
    loopLoad.record(loopLoad.acknowledgement, intended);
  }
}
