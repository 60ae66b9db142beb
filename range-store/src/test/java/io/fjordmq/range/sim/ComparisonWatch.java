package io.fjordmq.range.sim;

import io.fjordmq.cluster.ClusterLevel;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.SupportedLevels;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.comparison.ReplicaComparisons;
import io.fjordmq.range.comparison.ReplicaDifference;
import io.fjordmq.range.store.RangeStoreSettings;
import io.fjordmq.testing.RecordBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Compares the replicas of simulated nodes, and counts the results. */
final class ComparisonWatch {
  /** A level at which comparisons are allowed. */
  static final ClusterLevel LEVEL =
      ClusterLevel.fixed(
          RangeEntry.COMPARE_LEVEL, new SupportedLevels(1, RangeEntry.COMPARE_LEVEL));

  private final RangeStoreSettings settings;

  /** By node, of its last start. */
  private final Map<NodeId, ReplicaComparisons> running = new HashMap<>();

  private final Map<String, Long> results = new HashMap<>();

  ComparisonWatch(Duration interval, long bytesPerSecond) {
    settings =
        RecordBuilder.from(RangeSimSettings.STORE)
            .with(RangeStoreSettings::comparisonInterval, interval)
            .with(RangeStoreSettings::comparisonBytesPerSecond, bytesPerSecond)
            .build();
  }

  /** Starts comparing on a node that has just been started. */
  void start(NodeId id, StoreNode.RunningNode node) {
    ReplicaComparisons comparisons =
        new ReplicaComparisons(
            id,
            node.store(),
            node.calls(),
            node.runtime().level(),
            node.runtime().timers(),
            node.process().simulation().clock(),
            settings,
            new RangeObserver() {
              @Override
              public void onCompared(RangeId range, String result) {
                results.merge(result, 1L, Long::sum);
              }
            });
    comparisons.serve(node.calls());
    comparisons.start();
    running.put(id, comparisons);
  }

  /** Returns the number of comparisons of two replicas with this result. */
  long count(String result) {
    return results.getOrDefault(result, 0L);
  }

  /** Returns the differences that the nodes report. */
  List<ReplicaDifference> differences() {
    List<ReplicaDifference> all = new ArrayList<>();
    running.values().forEach(comparisons -> all.addAll(comparisons.differences()));
    return all;
  }
}
