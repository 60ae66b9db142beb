package io.fjordmq.broker.nodes;

/** Receives events of the streams, for metrics. Called on any thread; must not block. */
public interface NodesObserver {
  /** Ignores all events. */
  NodesObserver NONE = new NodesObserver() {};

  /** Items were sent to another node for the first time. */
  default void sent(int items) {}

  /** Items were resent because there was no answer. */
  default void resent(int items) {}

  /** Items were not answered in time; their listeners were notified, and resending continues. */
  default void overdue(int items) {}

  /** Items of another node were received for the first time. */
  default void received(int items) {}

  /** Items of another node were received again. */
  default void repeated(int items) {}
}
