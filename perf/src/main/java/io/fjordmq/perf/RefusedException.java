package io.fjordmq.perf;

/** Thrown if a broker refused a CONNECT. */
public final class RefusedException extends RuntimeException {
  /**
   * @param reason the reason code, as text such as {@code CONNACK 0x03}
   */
  public RefusedException(String reason) {
    super(reason);
  }
}
