package io.fjordmq.broker.recovery;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.jraft.JRaftHost;
import io.fjordmq.cluster.consensus.log.StoredGroup;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.MetadataView;
import io.fjordmq.cluster.metadata.NodeRecord;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.kv.Kv;
import io.fjordmq.range.placement.RangeDirectory;
import io.fjordmq.range.placement.RecoveredRanges;
import io.fjordmq.range.store.StoredReplica;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Describes which data of each range a stopped node has and what may be missing, as text for
 * operators.
 */
final class RecoveryReport {
  private final NodeIdentity identity;
  private final JRaftHost host;
  private final Kv kv;
  private final MetadataView metadata;
  private final List<String> lines = new ArrayList<>();

  /**
   * @param host the log of the node, without open groups
   * @param metadata the metadata as of the node's last checkpoint
   */
  RecoveryReport(NodeIdentity identity, JRaftHost host, Kv kv, MetadataView metadata) {
    this.identity = identity;
    this.host = host;
    this.kv = kv;
    this.metadata = metadata;
  }

  List<String> of(List<StoreSpec> stores) {
    lines.add("cluster   " + identity.clusterId());
    lines.add("node      " + identity.node());
    for (NodeRecord node : NodeRecord.all(metadata)) {
      if (!node.node().equals(identity.node()) && node.state() != NodeRecord.State.REMOVED) {
        lines.add(
            "other     node %s at %s, last known as %s"
                .formatted(node.node(), node.address(), node.state()));
      }
    }
    addGroup("metadata", MetadataGroup.GROUP, -1);
    stores.forEach(store -> addStore(store.name()));
    lines.add(
        "Missing: data that only the other nodes had: all data of ranges marked LOST and, in the"
            + " other ranges, all entries after the end of this node's log.");
    return List.copyOf(lines);
  }

  private void addStore(String store) {
    List<StoredReplica> replicas = StoredReplica.all(kv, store);
    RecoveredRanges ranges =
        RecoveredRanges.of(RangeDirectory.of(metadata), store, replicas, identity.node());
    Set<RangeId> kept = ranges.kept().stream().map(RangeDescriptor::id).collect(Collectors.toSet());
    for (StoredReplica replica : replicas) {
      RangeDescriptor range = replica.descriptor();
      String note =
          kept.contains(range.id()) ? "" : replica.isEmpty() ? " EMPTY" : " OUTDATED, not used";
      addGroup(range.id() + " " + range.interval() + note, range.group(), replica.appliedIndex());
    }
    for (RecoveredRanges.Lost lost : ranges.lost()) {
      lines.add(
          "%-9s LOST: this node has no data of the keys %s%s; they become empty"
              .formatted(
                  store,
                  lost.keys(),
                  lost.published().isEmpty() ? "" : " of " + ids(lost.published())));
    }
  }

  private static String ids(Set<RangeId> ranges) {
    return ranges.stream().map(RangeId::toString).collect(Collectors.joining(", "));
  }

  private void addGroup(String name, GroupId group, long applied) {
    @Nullable StoredGroup log = host.stored(group);
    if (log == null) {
      lines.add("%-9s has no log on this node".formatted(name));
      return;
    }
    Set<String> voters = new TreeSet<>();
    for (NodeId voter : log.members().voters()) {
      voters.add(voter.value());
    }
    String state = applied < 0 ? "" : "state up to index " + applied + ", ";
    lines.add(
        "%-9s %slog up to index %d of term %d, voters %s%s"
            .formatted(
                name,
                state,
                log.lastIndex(),
                log.lastTerm(),
                String.join(" ", voters),
                voters.contains(identity.node().value())
                    ? ""
                    : "; this node is not a voter, so its data may be old"));
  }
}
