package io.fjordmq.broker.alarms;

/** Is notified of the alarms of this node, for metrics. Must not block. */
@FunctionalInterface
public interface AlarmObserver {
  /** Ignores everything. */
  AlarmObserver NONE = (kind, count) -> {};

  /** The number of active alarms of a kind has changed. */
  void onActive(AlarmKind kind, int count);
}
