package io.fjordmq.perf;

/** A broker refused a CONNECT. */
public final class RefusedException extends RuntimeException {
  /**
   * @param reason in the CONNACK: {@code CONNACK 0x03}
   */
  RefusedException(String reason) {
    super(reason);
  }
}
