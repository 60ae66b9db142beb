package io.fjordmq.cluster.membership;

/** This node cannot become or stay a member as it is started. Says where, what, and what to do. */
public final class MembershipException extends Exception {
  private static final long serialVersionUID = 1;

  public MembershipException(String message) {
    super(message);
  }
}
