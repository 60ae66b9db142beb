package io.fjordmq.broker.events;

import io.fjordmq.common.ByteWriter;

/** The session expired while the client was not connected. */
public record SessionExpired() implements ClientEvent {
  static final int KIND = 12;

  @Override
  public String type() {
    return "session_expired";
  }

  @Override
  public String message(long count) {
    return "Session expired: the client did not reconnect within its session expiry interval; its"
        + " subscriptions and queued messages were removed";
  }

  @Override
  public boolean repeats(ClientEvent earlier) {
    return false;
  }

  @Override
  public boolean isBoundary() {
    return true;
  }

  @Override
  public int chars() {
    return 0;
  }

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    // The event has no fields.
  }
}
