package io.fjordmq.broker.events;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;

/**
 * The connection of a connected client ended, except by a takeover ({@link TakenOver}).
 *
 * @param detail the explanation
 * @param lastPacket the type of the last packet from the client, such as {@code PINGREQ}
 */
public record Disconnected(String reason, int reasonCode, String detail, String lastPacket)
    implements ClientEvent {
  /*
   *   s reason | v reason code + 1 | s detail | s last packet
   */
  static final int KIND = 10;

  public Disconnected {
    detail = EventText.shortened(detail);
  }

  @Override
  public String type() {
    return "disconnected";
  }

  @Override
  public String message(long count) {
    return switch (reason) {
      case "client_disconnect" -> "Disconnected: the client sent DISCONNECT";
      case "client_disconnect_with_will" ->
          "Disconnected: the client sent DISCONNECT 0x04 (disconnect with will message)";
      case "connection_lost" -> "Connection lost: " + detail + last();
      case "keep_alive_timeout" -> "Disconnected: " + detail + last();
      default ->
          "Disconnected: "
              + EventText.joined(EventText.reason(reason, reasonCode), "; ", detail)
              + last();
    };
  }

  private String last() {
    return "; last packet " + lastPacket;
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
    return detail.length();
  }

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    out.writeString(reason)
        .writeVarint(reasonCode + 1L)
        .writeString(detail)
        .writeString(lastPacket);
  }

  static Disconnected read(ByteReader in) {
    return new Disconnected(in.readString(), in.readInt() - 1, in.readString(), in.readString());
  }
}
