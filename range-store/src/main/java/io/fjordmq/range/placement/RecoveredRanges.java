package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeDescriptorCodec;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.placement.RangeDirectory.Published;
import io.fjordmq.range.store.StoredReplica;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The ranges of one store when all nodes but one are lost. The replicas of the remaining node are
 * kept; keys of which it has none get new, empty ranges. A pure function of its arguments.
 *
 * @param store the name of the store
 * @param kept the ranges of the node's replicas, with the node as their only voter, in key order
 * @param lost the keys of which the node has no replica
 * @param changes the metadata changes that replace the published ranges
 */
public record RecoveredRanges(
    String store, List<RangeDescriptor> kept, List<Lost> lost, List<Change> changes) {

  /** More splits and merges than the lost ranges can have gone through. */
  private static final long EPOCH_GAP = 1 << 20;

  /**
   * Keys whose data is lost.
   *
   * @param published the published ranges that held some of them
   * @param replacement the empty range that takes their place
   */
  public record Lost(Set<RangeId> published, RangeDescriptor replacement) {
    public KeyInterval keys() {
      return replacement.interval();
    }
  }

  /**
   * @param directory the ranges in the metadata
   * @param replicas the replicas of the node
   * @param self the node
   */
  public static RecoveredRanges of(
      RangeDirectory directory, String store, List<StoredReplica> replicas, NodeId self) {
    ReplicaSet alone = ReplicaSet.ofVoters(self);
    Map<RangeId, Published> published =
        directory.ranges().entrySet().stream()
            .filter(range -> range.getKey().store().equals(store))
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    List<RangeDescriptor> kept = new ArrayList<>();
    for (RangeDescriptor range : current(replicas)) {
      kept.add(withReplicas(range, alone, published.get(range.id())));
    }
    long version = highestVersion(replicas, published) + EPOCH_GAP;
    long first = firstFreeNumber(directory, store, replicas);
    List<Lost> lost = new ArrayList<>();
    for (KeyInterval gap : gaps(kept)) {
      RangeId id = new RangeId(store, first + lost.size());
      RangeDescriptor empty = new RangeDescriptor(id, gap, new RangeEpoch(version, 1), alone);
      lost.add(new Lost(overlapping(published, gap), empty));
    }
    List<Change> changes = changes(published, kept, lost);
    if (!lost.isEmpty()) {
      changes.add(directory.nextNumber(store).advanceChange(first + lost.size()));
    }
    directory.pins().forEach((id, pin) -> addUnpin(changes, store, id, pin));
    return new RecoveredRanges(store, List.copyOf(kept), List.copyOf(lost), List.copyOf(changes));
  }

  /** The empty ranges that the node has to create. */
  public List<RangeDescriptor> replacements() {
    return lost.stream().map(Lost::replacement).toList();
  }

  /**
   * The replicas with data that do not overlap. Of overlapping ones, the one with the higher epoch
   * is later; the other has missed a merge or a split.
   */
  private static List<RangeDescriptor> current(List<StoredReplica> replicas) {
    List<RangeDescriptor> chosen = new ArrayList<>();
    replicas.stream()
        .filter(replica -> !replica.isEmpty())
        .map(StoredReplica::descriptor)
        .sorted(
            Comparator.comparingLong((RangeDescriptor range) -> range.epoch().version())
                .reversed()
                .thenComparingLong(range -> range.id().number()))
        .filter(range -> chosen.stream().noneMatch(one -> overlap(one, range)))
        .forEach(chosen::add);
    chosen.sort((a, b) -> Arrays.compareUnsigned(a.interval().start(), b.interval().start()));
    return chosen;
  }

  private static boolean overlap(RangeDescriptor one, RangeDescriptor other) {
    return one.interval().overlaps(other.interval());
  }

  private static RangeDescriptor withReplicas(
      RangeDescriptor range, ReplicaSet replicas, @Nullable Published before) {
    long known = before == null ? 0 : before.descriptor().epoch().replicas();
    RangeEpoch epoch =
        new RangeEpoch(range.epoch().version(), Math.max(known, range.epoch().replicas()) + 1);
    return new RangeDescriptor(range.id(), range.interval(), epoch, replicas);
  }

  private static long highestVersion(
      List<StoredReplica> replicas, Map<RangeId, Published> published) {
    long highest = 0;
    for (StoredReplica replica : replicas) {
      highest = Math.max(highest, replica.descriptor().epoch().version());
    }
    for (Published range : published.values()) {
      highest = Math.max(highest, range.descriptor().epoch().version());
    }
    return highest;
  }

  private static long firstFreeNumber(
      RangeDirectory directory, String store, List<StoredReplica> replicas) {
    long next = directory.nextNumber(store).number();
    for (StoredReplica replica : replicas) {
      next = Math.max(next, replica.descriptor().id().number() + 1);
    }
    return next;
  }

  private static List<KeyInterval> gaps(List<RangeDescriptor> ranges) {
    List<KeyInterval> gaps = new ArrayList<>();
    byte[] covered = new byte[0];
    for (RangeDescriptor range : ranges) {
      byte[] start = range.interval().start();
      if (Arrays.compareUnsigned(covered, start) < 0) {
        gaps.add(new KeyInterval(covered, start));
      }
      byte[] end = range.interval().end();
      if (end == null) {
        return gaps;
      }
      covered = end;
    }
    gaps.add(KeyInterval.from(covered));
    return gaps;
  }

  private static Set<RangeId> overlapping(Map<RangeId, Published> published, KeyInterval keys) {
    Set<RangeId> found = new TreeSet<>(Comparator.comparingLong(RangeId::number));
    published.forEach(
        (id, range) -> {
          if (range.descriptor().interval().overlaps(keys)) {
            found.add(id);
          }
        });
    return found;
  }

  private static List<Change> changes(
      Map<RangeId, Published> published, List<RangeDescriptor> kept, List<Lost> lost) {
    List<RangeDescriptor> now = new ArrayList<>(kept);
    lost.forEach(gap -> now.add(gap.replacement()));
    Set<RangeId> ids = new HashSet<>();
    now.forEach(range -> ids.add(range.id()));
    List<Change> changes = new ArrayList<>();
    published.forEach(
        (id, range) -> {
          if (!ids.contains(id)) {
            changes.add(Change.remove(RangeDirectory.key(id), range.version()));
          }
        });
    now.forEach(
        range ->
            changes.add(
                Change.put(RangeDirectory.key(range.id()), RangeDescriptorCodec.encode(range))));
    return changes;
  }

  /** Pins name nodes that are lost. */
  private static void addUnpin(
      List<Change> changes, String store, RangeId id, RangePin.Stored pin) {
    if (id.store().equals(store)) {
      changes.add(RangePin.remove(id, pin.version()));
    }
  }
}
