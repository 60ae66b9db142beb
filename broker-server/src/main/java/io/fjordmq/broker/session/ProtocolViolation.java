package io.fjordmq.broker.session;

import io.fjordmq.broker.limits.Limit;
import org.jspecify.annotations.Nullable;

/**
 * A client's mistake. It ends the connection with a reason; it is counted and logged at debug,
 * never with a stack trace.
 */
public final class ProtocolViolation extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final CloseReason reason;
  private final int protocolLevel;
  private final @Nullable Limit limit;

  /** A mistake on a connection whose protocol version is known. */
  public ProtocolViolation(CloseReason reason, String detail) {
    this(reason, detail, 0);
  }

  /**
   * A mistake in a CONNECT.
   *
   * @param protocolLevel the level byte of the CONNECT, which decides how the refusal is written; 0
   *     if it was not read
   */
  public ProtocolViolation(CloseReason reason, String detail, int protocolLevel) {
    this(reason, detail, protocolLevel, null);
  }

  /**
   * More than a limit allows.
   *
   * @param protocolLevel 0 if it is known
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

  /** See the constructor. */
  public int protocolLevel() {
    return protocolLevel;
  }

  /** The limit that was reached; null if it is another mistake. */
  @Nullable Limit limit() {
    return limit;
  }

  /** What was wrong, for the log and the Reason String. */
  public String detail() {
    return String.valueOf(getMessage());
  }
}
