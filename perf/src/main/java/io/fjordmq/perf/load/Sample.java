package io.fjordmq.perf.load;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import java.util.Collections;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import tools.jackson.databind.EnumNamingStrategies.LowerCamelCaseStrategy;
import tools.jackson.databind.annotation.EnumNaming;

/**
 * One second of a run.
 *
 * @param second time since the start of the run, in seconds
 * @param phase phase of the run that the second belongs to
 * @param values the values that could be measured
 */
public record Sample(double second, Phase phase, @JsonAnyGetter Map<Series, Double> values) {

  /** The phases of a run, in order. */
  @EnumNaming(LowerCamelCaseStrategy.class)
  public enum Phase {
    CONNECT,
    WARM,
    COUNT,
    /** Publishing has stopped; outstanding messages still arrive. */
    DRAIN
  }

  public Sample {
    values = Collections.unmodifiableMap(new TreeMap<>(values)); // in the order of reports
  }

  public OptionalDouble value(Series series) {
    Double value = values.get(series);
    return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
  }
}
