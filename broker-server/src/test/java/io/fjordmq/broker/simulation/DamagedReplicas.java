package io.fjordmq.broker.simulation;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusHost;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.range.ApplyContext;
import io.fjordmq.range.Coprocessor;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.kv.KvReader;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;

/**
 * Replicas with an unreadable row: they reject each entry and cannot be opened until their node
 * removes them with their rows. At most one replica of a range at a time.
 */
final class DamagedReplicas {
  private final Map<String, NodeId> damaged = new HashMap<>();
  private final Set<String> reasons = new HashSet<>();
  private long removed;

  /** Says why the replica halts from now on. */
  String add(RangeId range, NodeId node) {
    damaged.put(range.toString(), node);
    String reason = reason(range, node);
    reasons.add(reason);
    reasons.add(halfInstalled(range, node));
    return reason;
  }

  private static String reason(RangeId range, NodeId node) {
    return "a row of %s on %s cannot be read".formatted(range, node);
  }

  /** A copy was refused after its rows had come, but before the log could begin behind it. */
  private static String halfInstalled(RangeId range, NodeId node) {
    return "state of %s on %s is at ".formatted(range, node);
  }

  boolean isDamaged(RangeId range) {
    return damaged.containsKey(range.toString());
  }

  /** Damaged replicas by their ranges; empty if all are sound. */
  Map<String, NodeId> byRange() {
    return Map.copyOf(damaged);
  }

  /** Damaged replicas that their nodes have removed. */
  long removed() {
    return removed;
  }

  /**
   * They are repaired as they stand, as by a backup: what the group cannot do without, or nobody
   * has any more.
   */
  void repairIf(BiPredicate<String, NodeId> which) {
    damaged.entrySet().removeIf(one -> which.test(one.getKey(), one.getValue()));
  }

  /** Whether it is the expected log line for a damaged replica. */
  boolean isExpectedLog(String logged) {
    boolean expected =
        logged.startsWith("Replica halted; ")
            || logged.startsWith("Reopening a replica ")
            || logged.startsWith("Failed to open a replica; retrying: ")
            || logged.startsWith("Replica is broken; rebuilding ");
    return expected && reasons.stream().anyMatch(logged::contains);
  }

  // ---- between a node and its replicas

  /** The stores of a node, whose replicas may be damaged. */
  List<StoreSpec> wrap(NodeId node, List<StoreSpec> sound) {
    return sound.stream()
        .map(
            spec ->
                new StoreSpec(
                    spec.name(),
                    spec.initialSplitKeys(),
                    range ->
                        new DamageableCoprocessor(
                            range, node, spec.coprocessorFactory().apply(range)),
                    spec.effects(),
                    spec.splitKeyFloor()))
        .toList();
  }

  /** Tracks which replicas a node removes. */
  ConsensusHost wrap(NodeId node, ConsensusHost host) {
    return Defect.replaceMethod(
        ConsensusHost.class,
        host,
        "destroy",
        (call, arguments) -> {
          removed += damaged.remove(String.valueOf(arguments[0]), node) ? 1 : 0;
          return call.invoke(arguments);
        });
  }

  private final class DamageableCoprocessor implements Coprocessor {
    private final RangeId range;
    private final NodeId node;
    private final Coprocessor sound;

    DamageableCoprocessor(RangeId range, NodeId node, Coprocessor sound) {
      this.range = range;
      this.node = node;
      this.sound = sound;
    }

    private void failIfDamaged() {
      if (node.equals(damaged.get(range.toString()))) {
        throw new MalformedBytesException(reason(range, node));
      }
    }

    @Override
    public void onAbsorbed(List<Long> parts) {
      sound.onAbsorbed(parts);
    }

    @Override
    public void open(KeyInterval interval, KvReader state) {
      failIfDamaged();
      sound.open(interval, state);
    }

    @Override
    public void onNarrowed(KeyInterval interval, KvReader state) {
      sound.onNarrowed(interval, state);
    }

    @Override
    public void requireReadable(ByteBuffer command) {
      sound.requireReadable(command);
    }

    @Override
    public byte[] apply(ByteBuffer command, ApplyContext context) {
      failIfDamaged();
      return sound.apply(command, context);
    }

    @Override
    public void onApplied(long index) {
      sound.onApplied(index);
    }

    @Override
    public byte[] query(ByteBuffer query, KvReader state) {
      return sound.query(query, state);
    }

    @Override
    public void close() {
      sound.close();
    }
  }
}
