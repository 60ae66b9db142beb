package io.fjordmq.perf;

/** A broker has answered a CONNECT with a reason against it. */
public final class RefusedException extends RuntimeException {
  /**
   * @param reason as in the CONNACK: {@code CONNACK 0x03}
   */
  RefusedException(String reason) {
    super(reason);
  }
}
