package io.fjordmq.broker.session;

import io.fjordmq.broker.limits.Limit;

/**
 * Keeps a connection within its rates: bytes each way, publishes; and holds it back while the node
 * has too much to do. A token bucket for each, holding one second's worth. What was read or written
 * is charged afterwards and may overdraw the bucket; then the client is not read, or not written
 * to, until the debt is paid. Nothing is dropped for a rate.
 *
 * <p>The clock is the {@link TimeoutWheel}'s: time is looked up in a field, a connection that stays
 * within its rates is never on the wheel, and one that does not pauses for a tick or some.
 */
final class Throttle extends TimeoutWheel.Timeout {
  /** Tokens are halves of a byte or publish, so that a tick brings a whole number of them. */
  private static final int TICKS_PER_SECOND = 1_000 / TimeoutWheel.TICK_MILLIS;

  /** Visiting them takes about as long as all else there is to do for a small message. */
  static final int NODES_PER_MESSAGE = 256;

  static final int BYTES_PER_MESSAGE = 64;

  private final TimeoutWheel wheel;
  private final SessionSettings settings;
  private final Connection connection;
  private final Runnable mayWriteAgain;
  private long readTokens;
  private long writeTokens;
  private long publishTokens;
  private long lastTick;
  private boolean readStopped;
  private boolean writeStopped;

  /**
   * @param mayWriteAgain called when messages need not wait any more
   */
  Throttle(TimeoutWheel wheel, Connection connection, Runnable mayWriteAgain) {
    this.wheel = wheel;
    this.settings = connection.settings();
    this.connection = connection;
    this.mayWriteAgain = mayWriteAgain;
    this.readTokens = full(settings.readBytesPerSecond());
    this.writeTokens = full(settings.writeBytesPerSecond());
    this.publishTokens = full(settings.publishesPerSecond());
    this.lastTick = wheel.tick();
  }

  private static long full(int perSecond) {
    return (long) perSecond * TICKS_PER_SECOND;
  }

  /** A packet was read. */
  void read(int bytes, boolean publish) {
    charge(bytes, publish ? 1 : 0);
  }

  private void charge(int bytes, int publishes) {
    refill();
    if (settings.readBytesPerSecond() > 0) {
      readTokens -= (long) bytes * TICKS_PER_SECOND;
      if (readTokens < 0) {
        stopReading(Limit.READ_RATE);
      }
    }
    if (publishes > 0 && settings.publishesPerSecond() > 0) {
      publishTokens -= (long) publishes * TICKS_PER_SECOND;
      if (publishTokens < 0) {
        stopReading(Limit.PUBLISH_RATE);
      }
    }
  }

  /**
   * The receivers of a publish were looked for. A topic that many filters with wildcards make
   * expensive counts as several messages.
   *
   * @param nodes of filter tries that were visited
   */
  void matched(int nodes) {
    int more = nodes / NODES_PER_MESSAGE;
    if (more > 0) {
      charge(more * BYTES_PER_MESSAGE, more);
    }
  }

  /** Bytes were handed to the channel. */
  void wrote(int bytes) {
    if (settings.writeBytesPerSecond() == 0) {
      return;
    }
    refill();
    writeTokens -= (long) bytes * TICKS_PER_SECOND;
    if (writeTokens < 0 && !writeStopped) {
      writeStopped = true;
      connection.reached(Limit.WRITE_RATE);
      wheel.arm(this, 1);
    }
  }

  /** The client is not read until the node has less to do. */
  void holdBackWhileOverloaded() {
    if (!connection.gate().isClosedBy(ReadGate.OVERLOAD)) {
      connection.observer().refusedAsOverloaded(RejectedWork.MQTT3_PUBLISHER);
      connection.gate().close(ReadGate.OVERLOAD);
      wheel.arm(this, 1);
    }
  }

  /** False while messages for the client have to wait. */
  boolean mayWrite() {
    return !writeStopped;
  }

  private void stopReading(Limit limit) {
    if (!readStopped) {
      readStopped = true;
      connection.reached(limit);
      connection.gate().close(ReadGate.RATE);
      wheel.arm(this, 1);
    }
  }

  private void refill() {
    long ticks = wheel.tick() - lastTick;
    if (ticks > 0) {
      lastTick += ticks;
      readTokens = refilled(readTokens, settings.readBytesPerSecond(), ticks);
      writeTokens = refilled(writeTokens, settings.writeBytesPerSecond(), ticks);
      publishTokens = refilled(publishTokens, settings.publishesPerSecond(), ticks);
    }
  }

  private static long refilled(long tokens, int perSecond, long ticks) {
    return Math.min(tokens + perSecond * ticks, full(perSecond));
  }

  @Override
  long due() {
    refill();
    if (readStopped && readTokens >= 0 && publishTokens >= 0) {
      readStopped = false;
      connection.gate().open(ReadGate.RATE);
    }
    if (writeStopped && writeTokens >= 0) {
      writeStopped = false;
      mayWriteAgain.run();
    }
    if (!connection.services().overload().isOverloaded()) {
      connection.gate().open(ReadGate.OVERLOAD);
    }
    boolean heldBack = connection.gate().isClosedBy(ReadGate.OVERLOAD);
    return readStopped || writeStopped || heldBack ? 1 : 0;
  }
}
