package io.fjordmq.broker.monitor;

import java.util.Arrays;

/** The values of all series at one point in time. Immutable. */
public final class Sample {
  private final long timeMillis;
  private final long[] values;

  private Sample(long timeMillis, long[] values) {
    this.timeMillis = timeMillis;
    this.values = values;
  }

  /** Begins a sample in which all values are unknown. */
  static Builder at(long timeMillis) {
    return new Builder(timeMillis);
  }

  /** The end of the interval that the sample covers, in milliseconds since 1970. */
  public long timeMillis() {
    return timeMillis;
  }

  /** The value of a series, or {@link Series#UNKNOWN}. */
  public long value(Series series) {
    return values[series.ordinal()];
  }

  /** Merges the sample of another node for the same time. */
  Sample plus(Sample other) {
    Builder sum = at(timeMillis);
    for (Series series : Series.values()) {
      sum.set(series, series.merge(value(series), other.value(series)));
    }
    return sum.build();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Sample sample
        && sample.timeMillis == timeMillis
        && Arrays.equals(sample.values, values);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(timeMillis) * 31 + Arrays.hashCode(values);
  }

  @Override
  public String toString() {
    return timeMillis + " " + Arrays.toString(values);
  }

  /** Collects the values of a sample. */
  static final class Builder {
    private final long timeMillis;
    private final long[] values = new long[Series.values().length];

    private Builder(long timeMillis) {
      this.timeMillis = timeMillis;
      Arrays.fill(values, Series.UNKNOWN);
    }

    Builder set(Series series, long value) {
      values[series.ordinal()] = value;
      return this;
    }

    Sample build() {
      return new Sample(timeMillis, values.clone());
    }
  }
}
