package io.fjordmq.perf;

/** Thrown if a broker refused a CONNECT. */
public final class RefusedException extends RuntimeException {
  /**
   * @param reason reason code of the CONNACK, such as {@code CONNACK 0x03}
   */
  RefusedException(String reason) {
    super(reason);
  }
}
