package io.fjordmq.broker.ops;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.search.Search;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;
import java.util.function.Function;

/**
 * Creates the meters for all {@link Metric metrics}. All time series exist from the start, with the
 * value zero, except those with {@linkplain Metric#hasDynamicLabels dynamic labels}.
 */
final class Meters {
  /**
   * Upper bounds of the histogram buckets, from the latency of a write to memory to the latency of
   * a failing disk.
   */
  private static final Duration[] BUCKETS = {
    Duration.ofNanos(100_000),
    Duration.ofNanos(250_000),
    Duration.ofNanos(500_000),
    Duration.ofMillis(1),
    Duration.ofNanos(2_500_000),
    Duration.ofMillis(5),
    Duration.ofMillis(10),
    Duration.ofMillis(25),
    Duration.ofMillis(50),
    Duration.ofMillis(100),
    Duration.ofMillis(250),
    Duration.ofMillis(500),
    Duration.ofSeconds(1),
    Duration.ofMillis(2_500),
    Duration.ofSeconds(10)
  };

  private static final double NANOS_PER_SECOND = 1e9;

  private final MeterRegistry registry;

  /**
   * Keeps the objects that function counters read reachable, because the registry holds only weak
   * references to them.
   */
  private final List<Object> strongReferences = Collections.synchronizedList(new ArrayList<>());

  Meters(MeterRegistry registry) {
    this.registry = registry;
  }

  /** Creates a thread-safe counter. */
  LongAdder counter(Metric metric, String... labelValues) {
    LongAdder sum = new LongAdder();
    strongReferences.add(sum);
    FunctionCounter.builder(metric.id(), sum, LongAdder::doubleValue)
        .description(metric.help())
        .tags(tags(metric, labelValues))
        .register(registry);
    return sum;
  }

  /** Creates a thread-safe counter of seconds, to which nanoseconds are added. */
  LongAdder secondsCounter(Metric metric, String... labelValues) {
    LongAdder nanos = new LongAdder();
    strongReferences.add(nanos);
    FunctionCounter.builder(metric.id(), nanos, sum -> sum.doubleValue() / NANOS_PER_SECOND)
        .description(metric.help())
        .tags(tags(metric, labelValues))
        .register(registry);
    return nanos;
  }

  /** Registers a counter whose value is maintained elsewhere. */
  void functionCounter(Metric metric, DoubleSupplier value) {
    strongReferences.add(value);
    FunctionCounter.builder(metric.id(), value, DoubleSupplier::getAsDouble)
        .description(metric.help())
        .register(registry);
  }

  /** Creates one counter for each value of the metric's only label. */
  <E extends Enum<E>> Map<E, LongAdder> counters(
      Metric metric, Class<E> type, Function<E, String> label) {
    Map<E, LongAdder> counters = new EnumMap<>(type);
    for (E value : type.getEnumConstants()) {
      counters.put(value, counter(metric, label.apply(value)));
    }
    return counters;
  }

  /** Creates a thread-safe gauge that is changed by increments. */
  LongAdder upDownCounter(Metric metric) {
    LongAdder sum = new LongAdder();
    gauge(metric, sum::doubleValue);
    return sum;
  }

  /** Registers a gauge whose value is computed when it is read. */
  void gauge(Metric metric, DoubleSupplier value, String... labelValues) {
    Gauge.builder(metric.id(), value::getAsDouble)
        .description(metric.help())
        .tags(tags(metric, labelValues))
        .strongReference(true)
        .register(registry);
  }

  Timer timer(Metric metric, String... labelValues) {
    return Timer.builder(metric.id())
        .description(metric.help())
        .tags(tags(metric, labelValues))
        .serviceLevelObjectives(BUCKETS)
        .register(registry);
  }

  /**
   * Returns the sum of a counter over all label values.
   *
   * @param label the name of a label, of which only one value counts; empty for all
   */
  double total(Metric metric, String label, String value) {
    Search counters = registry.find(metric.id());
    if (!label.isEmpty()) {
      counters = counters.tag(label, value);
    }
    return counters.functionCounters().stream().mapToDouble(FunctionCounter::count).sum();
  }

  private static Tags tags(Metric metric, String... values) {
    Tags tags = Tags.empty();
    if (!metric.labels().isEmpty()) {
      String[] names = metric.labels().split(", ", -1);
      for (int i = 0; i < names.length; i++) {
        tags = tags.and(names[i], values[i]);
      }
    }
    return tags;
  }
}
