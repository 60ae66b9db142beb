package io.fjordmq.broker.topicmetrics;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * The messages of one topic. Immutable.
 *
 * @param counts messages since the topic was registered or reset, by the position of {@link
 *     TopicCounter}
 * @param rates messages per second in the last few seconds, by the same position
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; accessed through methods
public record TopicReading(long[] counts, double[] rates) {
  /** Returns a reading without messages. */
  public static TopicReading empty() {
    return new TopicReading(new long[TopicCounter.COUNT], new double[TopicCounter.COUNT]);
  }

  /** Adds the messages on another node. */
  public TopicReading plus(TopicReading other) {
    TopicReading sum =
        new TopicReading(
            Arrays.copyOf(counts, TopicCounter.COUNT), Arrays.copyOf(rates, TopicCounter.COUNT));
    for (int i = 0; i < TopicCounter.COUNT; i++) {
      sum.counts[i] += other.counts[i];
      sum.rates[i] += other.rates[i];
    }
    return sum;
  }

  /** Returns the metrics under the names that EMQX uses. */
  public Map<String, Number> byName() {
    Map<String, Number> named = new TreeMap<>();
    for (TopicCounter counter : TopicCounter.values()) {
      named.put(counter.label() + ".count", counts[counter.ordinal()]);
      named.put(counter.label() + ".rate", rates[counter.ordinal()]);
    }
    addTotal(named, "messages.in", TopicCounter.IN_QOS0);
    addTotal(named, "messages.out", TopicCounter.OUT_QOS0);
    return named;
  }

  /** Adds the total of three counters, one for each QoS. */
  private void addTotal(Map<String, Number> named, String name, TopicCounter first) {
    long count = 0;
    double rate = 0;
    for (int i = first.ordinal(); i < first.ordinal() + 3; i++) {
      count += counts[i];
      rate += rates[i];
    }
    named.put(name + ".count", count);
    named.put(name + ".rate", rate);
  }
}
