package io.fjordmq.broker.protocol;

import io.fjordmq.broker.limits.Limit;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if a client violates the protocol or exceeds a limit. The violation ends the connection
 * with a reason; it is counted, and logged at DEBUG level without a stack trace.
 */
public final class ProtocolViolation extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final CloseReason reason;
  private final int protocolLevel;
  private final @Nullable Limit limit;

  /** Creates a violation for a connection whose protocol version is known. */
  public ProtocolViolation(CloseReason reason, String detail) {
    this(reason, detail, 0);
  }

  /**
   * Creates a violation for a CONNECT.
   *
   * @param protocolLevel the level byte of the CONNECT, which determines how the refusal is
   *     encoded; 0 if it was not read
   */
  public ProtocolViolation(CloseReason reason, String detail, int protocolLevel) {
    this(reason, detail, protocolLevel, null);
  }

  /**
   * Creates a violation for an exceeded limit.
   *
   * @param protocolLevel the level byte of the CONNECT; 0 if the connection's protocol version is
   *     known
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

  /** The level byte of the CONNECT; 0 if it was not read or the violation is in a later packet. */
  public int protocolLevel() {
    return protocolLevel;
  }

  /** The limit that was reached; null for other violations. */
  public @Nullable Limit limit() {
    return limit;
  }

  /** A description for the log and the Reason String. */
  public String detail() {
    return String.valueOf(getMessage());
  }
}
