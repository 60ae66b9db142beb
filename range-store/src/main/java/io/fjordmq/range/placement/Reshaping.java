package io.fjordmq.range.placement;

import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What has become of ranges that were split: what their nodes report is put together until it holds
 * as much as what was published, and is published then, at once. Clients heal before that, by the
 * answers that they get.
 */
final class Reshaping {
  /** Of each range the newest shape that any node reports. */
  private final Map<RangeId, ReplicaReport> newest = new HashMap<>();

  /** Of each range what its leader says of the group. */
  private final Map<RangeId, ReplicaReport> leaders = new HashMap<>();

  private Reshaping(Collection<RangeReports> reports) {
    for (RangeReports of : reports) {
      for (ReplicaReport replica : of.replicas()) {
        newest.merge(replica.range(), replica, Reshaping::later);
        if (replica.isLeading()) {
          leaders.merge(
              replica.range(), replica, (one, other) -> one.term() >= other.term() ? one : other);
        }
      }
    }
  }

  private static ReplicaReport later(ReplicaReport one, ReplicaReport other) {
    return other.epoch().version() > one.epoch().version() ? other : one;
  }

  /**
   * Null as long as some of it is not reported, or has no leader that says who its replicas are.
   */
  static Step.@Nullable Reshape of(PlacementView view, RangeDescriptor published) {
    Reshaping reported = new Reshaping(view.reports().values());
    List<RangeDescriptor> parts = new ArrayList<>();
    for (ReplicaReport replica : reported.newest.values()) {
      boolean isNew = !view.published().containsKey(replica.range());
      boolean ofStore = replica.range().store().equals(published.id().store());
      if (replica.range().equals(published.id())
          || (isNew && ofStore && replica.keys().overlaps(published.interval()))) {
        ReplicaReport leader = reported.leaders.get(replica.range());
        ReplicaSet replicas = leader == null ? null : leader.replicas();
        if (replicas == null) {
          return null;
        }
        parts.add(new RangeDescriptor(replica.range(), replica.keys(), replica.epoch(), replicas));
      }
    }
    parts.sort((a, b) -> Arrays.compareUnsigned(a.interval().start(), b.interval().start()));
    return areWhole(parts, published.interval())
        ? new Step.Reshape(published.id(), List.copyOf(parts))
        : null;
  }

  private static boolean areWhole(List<RangeDescriptor> parts, KeyInterval whole) {
    byte[] reached = whole.start();
    for (int i = 0; i < parts.size(); i++) {
      KeyInterval part = parts.get(i).interval();
      byte[] end = part.end();
      boolean last = i == parts.size() - 1;
      if (!Arrays.equals(part.start(), reached) || (end == null && !last)) {
        return false;
      } else if (last) {
        return Arrays.equals(end, whole.end());
      }
      reached = end;
    }
    return false;
  }
}
