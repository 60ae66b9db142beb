package io.fjordmq.broker.monitor;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;

/**
 * The samples of several nodes for the same time.
 *
 * @param nodes the number of nodes that took a sample
 */
public record ClusterSample(Sample sample, int nodes) {
  /**
   * Merges the samples of several nodes. Omits times for which a node has not taken its sample yet,
   * because their sums would be too low.
   *
   * @param histories the samples of each node, oldest first
   * @return oldest first
   */
  static List<ClusterSample> merge(Collection<List<Sample>> histories) {
    long last =
        histories.stream()
            .filter(history -> !history.isEmpty())
            .mapToLong(history -> history.get(history.size() - 1).timeMillis())
            .min()
            .orElse(0);
    TreeMap<Long, ClusterSample> byTime = new TreeMap<>();
    for (List<Sample> history : histories) {
      for (Sample sample : history) {
        if (sample.timeMillis() <= last) {
          byTime.merge(sample.timeMillis(), new ClusterSample(sample, 1), ClusterSample::plus);
        }
      }
    }
    return new ArrayList<>(byTime.values());
  }

  private ClusterSample plus(ClusterSample other) {
    return new ClusterSample(sample.plus(other.sample), nodes + other.nodes);
  }
}
