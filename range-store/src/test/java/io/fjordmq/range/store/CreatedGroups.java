package io.fjordmq.range.store;

import io.fjordmq.cluster.consensus.Consensus;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusHost;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.ReplicatedState;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** A host that creates and destroys groups but never opens them. */
final class CreatedGroups implements ConsensusHost {
  private final Map<GroupId, Group> groups = new LinkedHashMap<>();

  /** A group as it was created. */
  record Group(ReplicaSet members, long appliedIndex) {}

  Map<GroupId, Group> createdGroups() {
    return groups;
  }

  @Override
  public Set<GroupId> groups() {
    return Set.copyOf(groups.keySet());
  }

  @Override
  public void create(GroupId group, ReplicaSet members) {
    create(group, members, 0);
  }

  @Override
  public void create(GroupId group, ReplicaSet members, long appliedIndex) {
    groups.putIfAbsent(group, new Group(members, appliedIndex));
  }

  @Override
  public Consensus open(GroupId group, ReplicatedState state) {
    throw new ConsensusException(ConsensusException.Kind.FAILED, "this host does not open groups");
  }

  @Override
  public void destroy(GroupId group) {
    groups.remove(group);
  }

  @Override
  public void close() {}
}
