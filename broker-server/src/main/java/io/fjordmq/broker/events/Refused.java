package io.fjordmq.broker.events;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A CONNECT was refused, or the connection ended before its CONNACK.
 *
 * @param address the address of the client
 * @param listener the listener to which the client connected
 * @param userName null if the client sent none
 * @param denial the provider that refused the client, and why
 */
public record Refused(
    String address,
    String listener,
    @Nullable String userName,
    String reason,
    int reasonCode,
    Denial denial)
    implements ClientEvent {
  /*
   *   s address | s listener | user name | s reason | v reason code + 1 | .. denial
   */
  static final int KIND = 2;

  public Refused {
    address = EventText.shortened(address);
    userName = userName == null ? null : EventText.shortened(userName);
  }

  @Override
  public String type() {
    return "connect_refused";
  }

  @Override
  public String message(long count) {
    String what =
        reason.equals("connection_lost")
            ? "Connection closed by the client before its CONNACK"
            : "Refused CONNECT";
    String from = (count == 1 ? " from " : ", last from ") + address;
    return EventText.joined(
        EventText.times(what, count) + from + ": " + EventText.reason(reason, reasonCode),
        "; ",
        denial.text(EventText.subject(userName)));
  }

  /** Attempts that fail for the same reason are combined, whatever port they come from. */
  @Override
  public boolean repeats(ClientEvent earlier) {
    return earlier instanceof Refused other
        && reason.equals(other.reason)
        && denial.equals(other.denial)
        && Objects.equals(userName, other.userName);
  }

  @Override
  public int chars() {
    return address.length() + (userName == null ? 0 : userName.length()) + denial.chars();
  }

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    out.writeString(address).writeString(listener);
    EventCodec.writeOptional(out, userName);
    out.writeString(reason).writeVarint(reasonCode + 1L);
    denial.write(out);
  }

  static Refused read(ByteReader in) {
    return new Refused(
        in.readString(),
        in.readString(),
        EventCodec.readOptional(in),
        in.readString(),
        in.readInt() - 1,
        Denial.read(in));
  }
}
