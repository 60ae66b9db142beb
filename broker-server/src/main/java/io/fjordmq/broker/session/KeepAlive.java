package io.fjordmq.broker.session;

import io.fjordmq.broker.protocol.CloseReason;

/**
 * Ends a connection if no packet arrives for one and a half times the keep alive (MQTT 5.0
 * §3.1.2.10). Time during which the broker does not read from the client does not count. However,
 * if the broker has stopped reading because the client does not read its responses, the client must
 * read some of them within that time.
 */
final class KeepAlive extends TimeoutWheel.Timeout {
  /** The session whose connection is monitored. */
  interface Client {
    ReadGate gate();

    OutboundBacklog outboundBacklog();

    /** Ends the session and its connection. */
    void end(CloseReason reason, String detail);
  }

  private final TimeoutWheel wheel;
  private final Client client;
  private final int allowedTicks;
  private int lastActivityTick;

  KeepAlive(TimeoutWheel wheel, Client client, int keepAliveSeconds) {
    this.wheel = wheel;
    this.client = client;
    this.allowedTicks = (int) TimeoutWheel.toTicks(keepAliveSeconds * 1_500L);
    this.lastActivityTick = wheel.currentTick();
    wheel.arm(this, allowedTicks);
  }

  /** Called when a packet is received or reading resumes. */
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
          "keep alive timeout: no packet received for 1.5 times the keep alive");
      return 0;
    }
    if (gate.isClosedBy(ReadGate.RESPONSES)
        && !client.outboundBacklog().madeProgressSinceLastCall()) {
      client.end(
          CloseReason.CLIENT_TOO_SLOW,
          "the client has not read any responses for 1.5 times the keep alive");
      return 0;
    }
    onActivity();
    return allowedTicks;
  }
}
