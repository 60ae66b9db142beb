package io.fjordmq.cluster.membership;

/**
 * Thrown if this node cannot become or remain a member with its current configuration and data
 * directory, or if a member cannot be removed. The message explains why and what to do.
 */
public final class MembershipException extends Exception {
  private static final long serialVersionUID = 1;

  public MembershipException(String message) {
    super(message);
  }
}
