package io.fjordmq.broker.session;

import io.fjordmq.broker.protocol.CloseReason;

/**
 * Ends a connection without packets for one and a half times its keep alive (MQTT 5.0 §3.1.2.10).
 * Silence does not count while the broker does not read the client. But if it does not read because
 * the client does not read its replies, the client has to read some of them within that time.
 */
final class KeepAlive extends TimeoutWheel.Timeout {
  /** The session whose connection is watched. */
  interface Client {
    ReadGate gate();

    OutboundBacklog outboundBacklog();

    /** Ends the session and its connection. */
    void end(CloseReason reason, String detail);
  }

  private final TimeoutWheel wheel;
  private final Client client;
  private final long allowedTicks;
  private long lastActivityTick;

  KeepAlive(TimeoutWheel wheel, Client client, int keepAliveSeconds) {
    this.wheel = wheel;
    this.client = client;
    this.allowedTicks = TimeoutWheel.toTicks(keepAliveSeconds * 1_500L);
    this.lastActivityTick = wheel.currentTick();
    wheel.arm(this, allowedTicks);
  }

  /** A packet was received, or reading resumed. */
  void onActivity() {
    lastActivityTick = wheel.currentTick();
  }

  @Override
  long check() {
    long remaining = lastActivityTick + allowedTicks - wheel.currentTick();
    if (remaining > 0) {
      return remaining;
    }
    ReadGate gate = client.gate();
    if (!gate.isClosed()) {
      client.end(
          CloseReason.KEEP_ALIVE_TIMEOUT,
          "keep alive timeout: no packet for 1.5 times the keep alive");
      return 0;
    }
    if (gate.isClosedBy(ReadGate.RESPONSES)
        && !client.outboundBacklog().madeProgressSinceLastCall()) {
      client.end(
          CloseReason.CLIENT_TOO_SLOW, "client read no responses for 1.5 times the keep alive");
      return 0;
    }
    onActivity();
    return allowedTicks;
  }
}
