package io.fjordmq.broker.simulation;

import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.store.ReplicaStatus;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Replicas of a range with the same applied index have the same rows, at any time. */
final class ReplicaRowsInvariant {
  /** By range and index. */
  private final Map<String, RowDigest> digests = new HashMap<>();

  private record RowDigest(String node, int digest) {}

  private long compared;

  void check(List<ClusterMachine> machines) {
    for (ClusterMachine machine : machines) {
      if (machine.nodeProcess() != null) {
        for (ReplicaStatus replica : machine.ranges().store().status()) {
          check(machine, replica);
        }
      }
    }
  }

  private void check(ClusterMachine machine, ReplicaStatus replica) {
    RangeDescriptor range = replica.descriptor();
    if (replica.group() == null || replica.failure() != null) {
      return; // a halted replica is not compared
    }
    int digest = machine.ranges().rows(range.id()).hashCode();
    String place = range.id() + "@" + replica.appliedIndex();
    RowDigest before = digests.putIfAbsent(place, new RowDigest(machine.id().value(), digest));
    if (before != null && before.digest != digest) {
      throw new AssertionError(
          "%s and %s have different rows of %s"
              .formatted(before.node, Objects.toString(machine.id()), place));
    }
    compared += before != null && !before.node.equals(machine.id().value()) ? 1 : 0;
  }

  /** The number of comparisons between two nodes. */
  long compared() {
    return compared;
  }
}
