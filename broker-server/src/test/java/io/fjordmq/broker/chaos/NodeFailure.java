package io.fjordmq.broker.chaos;

/** A node did not start or accept clients after a fault or a change; this violates a guarantee. */
final class NodeFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param step the fault or the change of the cluster that came before
   */
  NodeFailure(String step, IllegalStateException cause) {
    super(cause.getMessage() + ", after " + step, cause);
  }
}
