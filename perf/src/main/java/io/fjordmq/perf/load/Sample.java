package io.fjordmq.perf.load;

import java.util.Map;
import java.util.OptionalDouble;

/**
 * One second of a run.
 *
 * @param second since the start of the run
 * @param phase it belongs to
 * @param values measured values; others are missing
 */
public record Sample(double second, Phase phase, Map<Series, Double> values) {

  /** The phases of a run, in order. */
  public enum Phase {
    CONNECT,
    WARM,
    COUNT,
    /** Publishing has stopped; outstanding messages still arrive. */
    DRAIN
  }

  public Sample {
    values = Map.copyOf(values);
  }

  public OptionalDouble value(Series series) {
    Double value = values.get(series);
    return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
  }
}
