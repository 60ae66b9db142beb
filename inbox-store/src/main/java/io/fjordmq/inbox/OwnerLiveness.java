package io.fjordmq.inbox;

/** Knows which processes are alive. */
@FunctionalInterface
public interface OwnerLiveness {
  /**
   * Whether a process may still serve connections. False only when it surely does not: its inboxes
   * are then detached.
   */
  boolean isAlive(String node, long incarnation);
}
