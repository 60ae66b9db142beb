package io.fjordmq.broker.session;

/**
 * Ends a connection that was silent for one and a half times its keep alive (MQTT 5.0 §3.1.2.10).
 * While it is we who do not read, its silence proves nothing; but if we wait for the client to read
 * its answers, it has to read some of them in that time.
 */
final class KeepAlive extends TimeoutWheel.Timeout {
  private final TimeoutWheel wheel;
  private final Session session;
  private final long allowedTicks;
  private long lastHeardTick;

  KeepAlive(TimeoutWheel wheel, Session session, int keepAliveSeconds) {
    this.wheel = wheel;
    this.session = session;
    this.allowedTicks = TimeoutWheel.ticks(keepAliveSeconds * 1_500L);
    this.lastHeardTick = wheel.tick();
    wheel.arm(this, allowedTicks);
  }

  /** A packet came in, or may come in again. */
  void onActivity() {
    lastHeardTick = wheel.tick();
  }

  @Override
  long due() {
    long left = lastHeardTick + allowedTicks - wheel.tick();
    if (left > 0) {
      return left;
    }
    ReadGate gate = session.connection().gate();
    if (!gate.isClosed()) {
      session.end(CloseReason.KEEP_ALIVE_TIMEOUT, "silent for 1.5 times its keep alive");
      return 0;
    }
    if (gate.isClosedBy(ReadGate.ANSWERS) && !session.unread().isBeingRead()) {
      session.end(CloseReason.CLIENT_TOO_SLOW, "read no answer for 1.5 times its keep alive");
      return 0;
    }
    onActivity();
    return allowedTicks;
  }
}
