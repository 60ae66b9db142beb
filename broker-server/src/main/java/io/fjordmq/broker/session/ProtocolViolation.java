package io.fjordmq.broker.session;

/**
 * A client's mistake. It ends the connection with a reason; it is counted and logged at debug,
 * never with a stack trace.
 */
public final class ProtocolViolation extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final CloseReason reason;
  private final int protocolLevel;

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
    super(detail, null, false, false);
    this.reason = reason;
    this.protocolLevel = protocolLevel;
  }

  public CloseReason reason() {
    return reason;
  }

  /** See the constructor. */
  public int protocolLevel() {
    return protocolLevel;
  }

  /** What was wrong, for the log and the Reason String. */
  public String detail() {
    return String.valueOf(getMessage());
  }
}
