package io.fjordmq.inbox.client;

/** Tells whether an incarnation of a node is alive. */
@FunctionalInterface
public interface OwnerLiveness {
  /**
   * Returns false only if this incarnation certainly serves no connections any more; its inboxes
   * are then detached.
   */
  boolean isAlive(String node, long incarnation);
}
