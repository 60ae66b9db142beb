package io.fjordmq.broker.events;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import java.time.Instant;

/**
 * The broker banned the client identifier.
 *
 * @param by the part of the broker that created the ban
 * @param reason why
 * @param untilMillis the end of the ban, in epoch milliseconds
 */
public record Banned(String by, String reason, long untilMillis) implements ClientEvent {
  /*
   *   s by | s reason | v until
   */
  static final int KIND = 14;

  public Banned {
    reason = EventText.shortened(reason);
  }

  @Override
  public String type() {
    return "banned";
  }

  @Override
  public String message(long count) {
    return "Banned by the %s until %s: %s".formatted(by, Instant.ofEpochMilli(untilMillis), reason);
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
    return by.length() + reason.length();
  }

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    out.writeString(by).writeString(reason).writeVarint(untilMillis);
  }

  static Banned read(ByteReader in) {
    return new Banned(in.readString(), in.readString(), in.readVarint());
  }
}
