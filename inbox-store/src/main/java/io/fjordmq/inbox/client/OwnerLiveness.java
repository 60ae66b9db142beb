package io.fjordmq.inbox.client;

/** Tells whether an incarnation of a node is alive. */
@FunctionalInterface
public interface OwnerLiveness {
  /**
   * Returns false only if this incarnation certainly no longer serves any connections; its inboxes
   * are then detached.
   */
  boolean isAlive(String node, long incarnation);
}
