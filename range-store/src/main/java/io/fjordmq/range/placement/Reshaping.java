package io.fjordmq.range.placement;

import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What has become of the ranges of one store that were split and merged: what their nodes report is
 * put together until it holds as much as what was published, and is published then, at once.
 * Clients heal before that, by the answers that they get.
 */
final class Reshaping {
  /*
   * Whatever is done to a range gives it a later version than any range had that held these keys
   * before. So of what is said of a key the latest version is true. A range that became part of
   * another one may be reported for long: by a replica that is behind, or that was left over.
   */
  private static final Comparator<KeyInterval> BY_KEY =
      (a, b) -> Arrays.compareUnsigned(a.start(), b.start());

  private final Map<RangeId, RangeDescriptor> published = new HashMap<>();

  /** Newest shapes that any node reports, of ranges that were not published like that. */
  private final List<ReplicaReport> news;

  /** Of each range what its leader says of the group. */
  private final Map<RangeId, ReplicaReport> leaders = new HashMap<>();

  Reshaping(PlacementView view, String store) {
    view.published()
        .forEach(
            (id, range) -> {
              if (id.store().equals(store)) {
                published.put(id, range);
              }
            });
    Map<RangeId, ReplicaReport> newest = new HashMap<>();
    for (RangeReports of : view.reports().values()) {
      for (ReplicaReport replica : of.replicas()) {
        if (replica.range().store().equals(store)) {
          newest.merge(replica.range(), replica, Reshaping::later);
          if (replica.isLeading()) {
            leaders.merge(
                replica.range(), replica, (one, other) -> one.term() >= other.term() ? one : other);
          }
        }
      }
    }
    news = newest.values().stream().filter(this::isNew).toList();
  }

  private boolean isNew(ReplicaReport replica) {
    RangeDescriptor known = published.get(replica.range());
    return known == null || replica.epoch().version() > known.epoch().version();
  }

  private static ReplicaReport later(ReplicaReport one, ReplicaReport other) {
    return other.epoch().version() > one.epoch().version() ? other : one;
  }

  /**
   * The ranges that have the keys of another one now, of which this may be only a replica that is
   * behind; empty if nobody says that any of them has.
   */
  Set<RangeId> heirs(RangeId range, KeyInterval keys, long version) {
    Set<RangeId> heirs = new HashSet<>();
    for (RangeDescriptor other : published.values()) {
      if (isLater(other.id(), other.interval(), other.epoch(), range, keys, version)) {
        heirs.add(other.id());
      }
    }
    for (ReplicaReport other : news) {
      if (isLater(other.range(), other.keys(), other.epoch(), range, keys, version)) {
        heirs.add(other.range());
      }
    }
    return heirs;
  }

  private static boolean isLater(
      RangeId other,
      KeyInterval otherKeys,
      RangeEpoch epoch,
      RangeId range,
      KeyInterval keys,
      long version) {
    return !other.equals(range) && epoch.version() > version && otherKeys.overlaps(keys);
  }

  /** Whether other ranges have keys that a published one had, so that it may be gone. */
  boolean isOvertaken(RangeDescriptor range) {
    return news.stream()
        .anyMatch(
            other ->
                isLater(
                    other.range(),
                    other.keys(),
                    other.epoch(),
                    range.id(),
                    range.interval(),
                    range.epoch().version()));
  }

  private boolean isOutdated(ReplicaReport replica) {
    return !heirs(replica.range(), replica.keys(), replica.epoch().version()).isEmpty();
  }

  /**
   * Null as long as some of it is not reported, or has no leader that says who its replicas are.
   *
   * @param changed what was published of a range that is otherwise now, or gone
   */
  Step.@Nullable Reshape of(RangeDescriptor changed) {
    List<ReplicaReport> current = news.stream().filter(replica -> !isOutdated(replica)).toList();
    Set<RangeDescriptor> before = new HashSet<>(Set.of(changed));
    Set<ReplicaReport> now = new HashSet<>();
    boolean grows = true;
    while (grows) { // until nothing that overlaps one of them is left out
      grows =
          current.stream()
              .filter(replica -> touches(replica, before))
              .map(now::add)
              .reduce(false, Boolean::logicalOr);
      grows |=
          published.values().stream()
              .filter(range -> now.stream().anyMatch(one -> touches(one, Set.of(range))))
              .map(before::add)
              .reduce(false, Boolean::logicalOr);
    }
    List<KeyInterval> had = before.stream().map(RangeDescriptor::interval).sorted(BY_KEY).toList();
    List<RangeDescriptor> parts = new ArrayList<>();
    for (ReplicaReport replica : now) {
      ReplicaReport leader = leaders.get(replica.range());
      ReplicaSet replicas = leader == null ? null : leader.replicas();
      if (replicas == null) {
        return null;
      }
      parts.add(new RangeDescriptor(replica.range(), replica.keys(), replica.epoch(), replicas));
    }
    parts.sort((a, b) -> BY_KEY.compare(a.interval(), b.interval()));
    Set<RangeId> gone = before.stream().map(RangeDescriptor::id).collect(Collectors.toSet());
    parts.forEach(part -> gone.remove(part.id()));
    return areTheSame(had, parts.stream().map(RangeDescriptor::interval).toList())
        ? new Step.Reshape(changed.id(), List.copyOf(parts), Set.copyOf(gone))
        : null;
  }

  /** By its keys, or because it is that range. */
  private static boolean touches(ReplicaReport replica, Collection<RangeDescriptor> ranges) {
    return ranges.stream()
        .anyMatch(
            range ->
                range.id().equals(replica.range()) || range.interval().overlaps(replica.keys()));
  }

  /** Whether both are without gaps, and hold the same keys; each in key order. */
  private static boolean areTheSame(List<KeyInterval> had, List<KeyInterval> parts) {
    return !parts.isEmpty()
        && areWhole(had)
        && areWhole(parts)
        && Arrays.equals(had.get(0).start(), parts.get(0).start())
        && Arrays.equals(had.get(had.size() - 1).end(), parts.get(parts.size() - 1).end());
  }

  private static boolean areWhole(List<KeyInterval> intervals) {
    for (int i = 1; i < intervals.size(); i++) {
      if (!Arrays.equals(intervals.get(i - 1).end(), intervals.get(i).start())) {
        return false;
      }
    }
    return true;
  }
}
