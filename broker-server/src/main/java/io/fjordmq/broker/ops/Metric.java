package io.fjordmq.broker.ops;

import java.util.List;
import java.util.stream.Stream;

/**
 * A metric with its name, kind, labels and help text. Each area has its own enum; a test keeps
 * docs/METRICS.md consistent with all of them. In the Prometheus format, dots become underscores,
 * counters end in {@code _total}, and timers end in {@code _seconds}.
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
   * @param id the Micrometer name, with dots
   * @param labels the label names, separated by a comma and a space; empty if there are none
   * @param help the help text
   */
  record Spec(String id, Kind kind, String labels, String help) {}

  Spec spec();

  /** The Micrometer name, with dots. */
  default String id() {
    return spec().id();
  }

  default Kind kind() {
    return spec().kind();
  }

  /** The label names, separated by a comma and a space; empty if there are none. */
  default String labels() {
    return spec().labels();
  }

  default String help() {
    return spec().help();
  }

  /**
   * Whether the values of the labels are known only at run time, so that there are no time series
   * at first.
   */
  default boolean hasDynamicLabels() {
    return labels().contains("listener")
        || labels().contains("provider")
        || labels().equals("node");
  }

  /** The name in the Prometheus format. */
  default String exposedName() {
    String name = id().replace('.', '_');
    return switch (kind()) {
      case GAUGE -> name;
      case COUNTER -> name + "_total";
      case TIMER -> name + "_seconds";
    };
  }
}
