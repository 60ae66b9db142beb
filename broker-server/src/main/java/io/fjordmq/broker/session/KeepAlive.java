package io.fjordmq.broker.session;

/**
 * Ends a connection that was silent for one and a half times its keep alive (MQTT 5.0 §3.1.2.10).
 * Silence does not count while the broker does not read the client. But if it does not read because
 * the client does not read its replies, the client has to read some of them within that time.
 */
final class KeepAlive extends TimeoutWheel.Timeout {
  private final TimeoutWheel wheel;
  private final Session session;
  private final long allowedTicks;
  private long lastActivityTick;

  KeepAlive(TimeoutWheel wheel, Session session, int keepAliveSeconds) {
    this.wheel = wheel;
    this.session = session;
    this.allowedTicks = TimeoutWheel.ticks(keepAliveSeconds * 1_500L);
    this.lastActivityTick = wheel.tick();
    wheel.arm(this, allowedTicks);
  }

  /** A packet was received, or reading resumed. */
  void onActivity() {
    lastActivityTick = wheel.tick();
  }

  @Override
  long due() {
    long left = lastActivityTick + allowedTicks - wheel.tick();
    if (left > 0) {
      return left;
    }
    ReadGate gate = session.connection().gate();
    if (!gate.isClosed()) {
      session.end(
          CloseReason.KEEP_ALIVE_TIMEOUT,
          "keep alive timeout: no packet for 1.5 times the keep alive");
      return 0;
    }
    if (gate.isClosedBy(ReadGate.ANSWERS) && !session.outboundBacklog().isBeingRead()) {
      session.end(
          CloseReason.CLIENT_TOO_SLOW, "client read no replies for 1.5 times the keep alive");
      return 0;
    }
    onActivity();
    return allowedTicks;
  }
}
