package io.fjordmq.perf.load;

import java.util.Map;
import java.util.OptionalDouble;

/**
 * One second of a run.
 *
 * @param second since the run began
 * @param phase it belongs to
 * @param values what there was to see; what is not there was not seen
 */
public record Sample(double second, Phase phase, Map<Series, Double> values) {

  /** Of a run, in this order. */
  public enum Phase {
    CONNECT,
    WARM,
    COUNT,
    /** Nothing more is sent, what is under way comes. */
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
