package io.fjordmq.broker.events;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;

/**
 * The connection ended because a newer connection uses the same client identifier.
 *
 * @param byNode the node of the newer connection; empty if another, unknown node
 * @param byAddress the address of the newer connection; empty if unknown
 * @param lastPacket the type of the last packet from the client
 */
public record TakenOver(String byNode, String byAddress, String lastPacket) implements ClientEvent {
  /*
   *   s node | s address | s last packet
   */
  static final int KIND = 11;

  @Override
  public String type() {
    return "taken_over";
  }

  @Override
  public String message(long count) {
    return "Disconnected: session taken over (0x8E) by a connection"
        + (byAddress.isEmpty() ? "" : " from " + byAddress)
        + " on "
        + (byNode.isEmpty() ? "another node" : "node " + byNode)
        + " with the same client identifier; last packet "
        + lastPacket;
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
    return byAddress.length();
  }

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    out.writeString(byNode).writeString(byAddress).writeString(lastPacket);
  }

  static TakenOver read(ByteReader in) {
    return new TakenOver(in.readString(), in.readString(), in.readString());
  }
}
