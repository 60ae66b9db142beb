package io.fjordmq.broker.chaos;

/** A node did not start or accept clients after a fault was repaired; this violates a guarantee. */
final class NodeFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NodeFailure(Fault fault, IllegalStateException cause) {
    super(cause.getMessage() + ", after " + fault, cause);
  }
}
