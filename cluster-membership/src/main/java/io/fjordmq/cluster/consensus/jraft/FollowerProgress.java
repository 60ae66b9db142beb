package io.fjordmq.cluster.consensus.jraft;

import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesResponse;
import com.google.protobuf.Message;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The last log index of each follower of one group, as its responses to entries and heartbeats
 * report it. Reading it from jraft's replicators would take their locks, which they hold while they
 * read the log. Thread-safe.
 */
final class FollowerProgress {
  private final Map<NodeId, AtomicLong> lastIndexes = new ConcurrentHashMap<>();

  /** Must be called for every response of another replica; ignores all but those to a leader. */
  void onResponse(NodeId node, Object request, @Nullable Message response) {
    if (request instanceof AppendEntriesRequest sent
        && response instanceof AppendEntriesResponse received) {
      if (received.getSuccess() && sent.getEntriesCount() > 0) {
        set(node, sent.getPrevLogIndex() + sent.getEntriesCount());
      } else if (received.hasLastLogIndex()) {
        set(node, received.getLastLogIndex());
      }
    }
  }

  private void set(NodeId node, long lastIndex) {
    AtomicLong known = lastIndexes.get(node);
    if (known == null) {
      known = lastIndexes.computeIfAbsent(node, follower -> new AtomicLong());
    }
    known.set(lastIndex);
  }

  /**
   * Returns the number of entries by which the slowest follower is behind, and forgets nodes that
   * are no longer in the group. A follower that has not responded yet lacks all entries.
   *
   * @param lastIndex the leader's last log index
   */
  long slowestLag(NodeId leader, ReplicaSet replicas, long lastIndex) {
    lastIndexes
        .keySet()
        .removeIf(node -> !replicas.voters().contains(node) && !replicas.learners().contains(node));
    return Stream.of(replicas.voters(), replicas.learners())
        .flatMap(Collection::stream)
        .filter(node -> !node.equals(leader))
        .mapToLong(node -> Math.max(0, lastIndex - lastIndexOf(node)))
        .max()
        .orElse(0);
  }

  private long lastIndexOf(NodeId node) {
    AtomicLong known = lastIndexes.get(node);
    return known == null ? 0 : known.get();
  }
}
