package io.fjordmq.broker.nodes;

/** Told what happens between nodes, for metrics. Called on any thread; must not block. */
public interface NodesObserver {
  /** Nobody listens. */
  NodesObserver NONE = new NodesObserver() {};

  /** Items were sent to another node for the first time. */
  default void sent(int items) {}

  /** Items were sent again, because no answer came. */
  default void resent(int items) {}

  /** Items were not answered in time; who waited was told, and they go on being sent. */
  default void overdue(int items) {}

  /** Items of another node were taken. */
  default void received(int items) {}

  /** Items of another node were here before. */
  default void repeated(int items) {}
}
