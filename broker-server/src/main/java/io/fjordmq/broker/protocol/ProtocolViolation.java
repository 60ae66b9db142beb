package io.fjordmq.broker.protocol;

import io.fjordmq.broker.limits.Limit;
import org.jspecify.annotations.Nullable;

/**
 * A protocol error by a client, or an exceeded limit. It ends the connection with a reason and is
 * counted and logged at debug level, without a stack trace.
 */
public final class ProtocolViolation extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final CloseReason reason;
  private final int protocolLevel;
  private final @Nullable Limit limit;

  /** Creates a violation on a connection whose protocol version is known. */
  public ProtocolViolation(CloseReason reason, String detail) {
    this(reason, detail, 0);
  }

  /**
   * Creates a violation in a CONNECT.
   *
   * @param protocolLevel the level byte of the CONNECT, which decides how the refusal is encoded; 0
   *     if it was not read
   */
  public ProtocolViolation(CloseReason reason, String detail, int protocolLevel) {
    this(reason, detail, protocolLevel, null);
  }

  /**
   * Creates a violation of a limit.
   *
   * @param protocolLevel of the CONNECT; 0 if the connection's protocol version is known
   */
  public ProtocolViolation(
      CloseReason reason, String detail, int protocolLevel, @Nullable Limit limit) {
    super(detail, null, false, false);
    this.reason = reason;
    this.protocolLevel = protocolLevel;
    this.limit = limit;
  }

  public CloseReason reason() {
    return reason;
  }

  /** The level byte of the CONNECT; 0 if it was not read, or for a later packet. */
  public int protocolLevel() {
    return protocolLevel;
  }

  /** The limit that was reached; null for other violations. */
  public @Nullable Limit limit() {
    return limit;
  }

  /** The description for the log and the Reason String. */
  public String detail() {
    return String.valueOf(getMessage());
  }
}
