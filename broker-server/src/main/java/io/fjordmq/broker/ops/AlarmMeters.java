package io.fjordmq.broker.ops;

import io.fjordmq.broker.alarms.AlarmKind;
import io.fjordmq.broker.alarms.AlarmObserver;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/** Metrics of the alarms of this node. */
final class AlarmMeters implements AlarmObserver {
  private final Map<AlarmKind, AtomicInteger> active = new EnumMap<>(AlarmKind.class);

  AlarmMeters(Meters meters) {
    for (AlarmKind kind : AlarmKind.values()) {
      AtomicInteger count = new AtomicInteger();
      active.put(kind, count);
      meters.gauge(NodeMetric.ALARMS_ACTIVE, count::doubleValue, kind.label());
    }
  }

  @Override
  public void onActive(AlarmKind kind, int count) {
    Objects.requireNonNull(active.get(kind)).set(count);
  }
}
