package io.fjordmq.broker.chaos;

/** After a fault was mended a node did not start or takes no clients: a promise was broken. */
final class NodeFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NodeFailure(Fault fault, IllegalStateException cause) {
    super(cause.getMessage() + ", after " + fault, cause);
  }
}
