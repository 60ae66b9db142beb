package io.fjordmq.range.sim;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.range.ApplyContext;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.kv.KvReader;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** Replicas with an unreadable row: they halt at each entry and cannot be opened. */
final class DamagedReplicas {
  private final Map<RangeId, Set<NodeId>> damaged = new HashMap<>();

  void add(RangeId range, NodeId node) {
    damaged.computeIfAbsent(range, id -> new HashSet<>()).add(node);
  }

  boolean isDamaged(RangeId range, NodeId node) {
    return damaged.getOrDefault(range, Set.of()).contains(node);
  }

  boolean isDamagedAnywhere(RangeId range) {
    return !damaged.getOrDefault(range, Set.of()).isEmpty();
  }

  /** Records that rows of a replica were removed; returns false if they were not damaged. */
  boolean remove(RangeId range, NodeId node) {
    return isDamaged(range, node) && damaged.getOrDefault(range, Set.of()).remove(node);
  }

  void removeIf(Predicate<RangeId> filter) {
    damaged.keySet().removeIf(filter);
  }

  AppendingCoprocessor coprocessor(RangeId range, NodeId node) {
    return new AppendingCoprocessor() {
      private void read() {
        if (isDamaged(range, node)) {
          throw new MalformedBytesException("a row of " + range + " on " + node + " is damaged");
        }
      }

      @Override
      public void open(KeyInterval interval, KvReader state) {
        read();
        super.open(interval, state);
      }

      @Override
      public byte[] apply(ByteBuffer command, ApplyContext context) {
        read();
        return super.apply(command, context);
      }
    };
  }
}
