package io.fjordmq.broker.ops;

import java.util.List;
import java.util.stream.Stream;

/**
 * A metric with name, kind, labels and help text. Each area has an enum of its own; a test keeps
 * docs/METRICS.md equal to all of them. In the Prometheus format dots become underscores, counters
 * end in {@code _total}, timers in {@code _seconds}.
 */
sealed interface Metric
    permits ClientMetric,
        SecurityMetric,
        DeliveryMetric,
        StoreMetric,
        RangeMetric,
        RaftMetric,
        NodeMetric {

  /** All metrics, in the order of docs/METRICS.md. */
  static List<Metric> all() {
    return Stream.<Metric[]>of(
            ClientMetric.values(),
            SecurityMetric.values(),
            DeliveryMetric.values(),
            StoreMetric.values(),
            RangeMetric.values(),
            RaftMetric.values(),
            NodeMetric.values())
        .flatMap(Stream::of)
        .toList();
  }

  /** The type of a metric. */
  enum Kind {
    /** A value that can decrease. */
    GAUGE,
    /** A value that only increases. */
    COUNTER,
    /** A histogram of durations. */
    TIMER
  }

  /**
   * The definition of a metric.
   *
   * @param id Micrometer name, with dots
   * @param labels label names, separated by a comma and a space; empty if there are none
   * @param meaning help text
   */
  record Spec(String id, Kind kind, String labels, String meaning) {}

  Spec spec();

  /** Micrometer name, with dots. */
  default String id() {
    return spec().id();
  }

  default Kind kind() {
    return spec().kind();
  }

  /** Label names, separated by a comma and a space; empty if there are none. */
  default String labels() {
    return spec().labels();
  }

  default String meaning() {
    return spec().meaning();
  }

  /** Name in the Prometheus format. */
  default String exposedName() {
    String name = id().replace('.', '_');
    return switch (kind()) {
      case GAUGE -> name;
      case COUNTER -> name + "_total";
      case TIMER -> name + "_seconds";
    };
  }
}
