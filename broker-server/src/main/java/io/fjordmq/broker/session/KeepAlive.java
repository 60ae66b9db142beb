package io.fjordmq.broker.session;

/**
 * Ends a connection that was silent for one and a half times its keep alive (MQTT 5.0 §3.1.2.10).
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

  /** A packet came in. */
  void heard() {
    lastHeardTick = wheel.tick();
  }

  @Override
  long due() {
    if (session.isHeldBack()) {
      // We are the ones who do not read: its silence proves nothing.
      lastHeardTick = wheel.tick();
    }
    long left = lastHeardTick + allowedTicks - wheel.tick();
    if (left <= 0) {
      session.end(CloseReason.KEEP_ALIVE_TIMEOUT, "silent for 1.5 times its keep alive");
      return 0;
    }
    return left;
  }
}
