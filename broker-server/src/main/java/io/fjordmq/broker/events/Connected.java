package io.fjordmq.broker.events;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import org.jspecify.annotations.Nullable;

/**
 * The client has connected: its CONNACK reported success.
 *
 * @param address the address of the client
 * @param listener the listener to which the client connected
 * @param userName null if the client is anonymous
 * @param protocolLevel 3 (MQTT 3.1), 4 (3.1.1) or 5
 * @param sessionPresent whether the client resumed a session
 */
public record Connected(
    String address,
    String listener,
    @Nullable String userName,
    int protocolLevel,
    boolean sessionPresent)
    implements ClientEvent {
  /*
   *   s address | s listener | user name | v protocol level | 1 session present
   */
  static final int KIND = 1;

  public Connected {
    address = EventText.shortened(address);
    userName = userName == null ? null : EventText.shortened(userName);
  }

  @Override
  public String type() {
    return "connected";
  }

  @Override
  public String message(long count) {
    String version =
        switch (protocolLevel) {
          case 3 -> "MQTT 3.1";
          case 4 -> "MQTT 3.1.1";
          default -> "MQTT 5";
        };
    return "Connected from %s to %s with %s%s; %s"
        .formatted(
            address,
            listener,
            version,
            userName == null ? "" : " as user '" + userName + "'",
            sessionPresent ? "the client resumed its session" : "the session is new");
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
    return address.length() + (userName == null ? 0 : userName.length());
  }

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    out.writeString(address).writeString(listener);
    EventCodec.writeOptional(out, userName);
    out.writeVarint(protocolLevel).writeByte(sessionPresent ? 1 : 0);
  }

  static Connected read(ByteReader in) {
    return new Connected(
        in.readString(),
        in.readString(),
        EventCodec.readOptional(in),
        in.readInt(),
        in.readByte() != 0);
  }
}
