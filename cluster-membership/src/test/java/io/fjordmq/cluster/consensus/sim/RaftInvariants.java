package io.fjordmq.cluster.consensus.sim;

import io.fjordmq.cluster.NodeId;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Invariants of one group over all its replicas; see the Raft paper, figure 3. */
final class RaftInvariants {
  private final Map<Long, NodeId> leaderOfTerm = new HashMap<>();
  private final Map<Long, SimLog.Entry> committed = new HashMap<>();

  /** Election safety. */
  void onElected(NodeId node, long term) {
    NodeId other = leaderOfTerm.putIfAbsent(term, node);
    if (other != null && !other.equals(node)) {
      throw new AssertionError("term " + term + " has two leaders: " + other + " and " + node);
    }
  }

  /** An entry that one replica has committed is committed on all replicas, now and later. */
  void onCommitted(NodeId node, SimLog.Entry entry) {
    SimLog.Entry known = committed.putIfAbsent(entry.index(), entry);
    if (known != null && (known.term() != entry.term() || known.data() != entry.data())) {
      throw new AssertionError(
          node + " committed another entry at " + entry.index() + ": " + entry + " not " + known);
    }
  }

  /** State machine safety: data entries are applied in order and without gaps. */
  void onApplied(NodeId node, long before, SimLog.Entry entry) {
    SimLog.Entry known = committed.get(entry.index());
    if (known == null || known.data() != entry.data()) {
      throw new AssertionError(node + " applied an entry that was never committed: " + entry);
    }
    if (entry.index() != before + 1) {
      throw new AssertionError(node + " applied " + entry.index() + " after " + before);
    }
  }

  /** A fixed order, because sets of the JDK iterate differently in every JVM. */
  static List<NodeId> sorted(Collection<NodeId> nodes) {
    return nodes.stream().sorted(Comparator.comparing(NodeId::value)).toList();
  }
}
