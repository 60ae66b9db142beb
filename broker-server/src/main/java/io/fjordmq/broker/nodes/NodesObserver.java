package io.fjordmq.broker.nodes;

/** Receives events of the streams, for metrics. Called on any thread; must not block. */
public interface NodesObserver {
  /** Ignores all events. */
  NodesObserver NONE = new NodesObserver() {};

  /** Items were sent to another node for the first time. */
  default void onSent(int items) {}

  /** Items were resent because no response was received. */
  default void onResent(int items) {}

  /**
   * Items were not acknowledged in time; their listeners were notified, and resending continues.
   */
  default void onOverdue(int items) {}

  /** Items from another node were received for the first time. */
  default void onReceived(int items) {}

  /** Items from another node were received again. */
  default void onDuplicate(int items) {}
}
