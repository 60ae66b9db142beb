package io.fjordmq.broker.nodes;

import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The streams to all other live nodes; empty until a {@link StreamLifecycle} creates them.
 * Thread-safe.
 */
public final class NodeStreams {
  /** The streams by node, sorted so that simulation runs are reproducible. */
  private volatile Map<String, NodeStream> streams = Map.of();

  void replace(Map<String, NodeStream> now) {
    streams = Collections.unmodifiableMap(new TreeMap<>(now));
  }

  Map<String, NodeStream> byNode() {
    return streams;
  }

  /**
   * Returns the stream to exactly this incarnation of a node; null if the incarnation has ended or
   * is unknown.
   */
  public @Nullable NodeStream find(String node, long incarnation) {
    NodeStream stream = streams.get(node);
    return stream != null && stream.incarnation() == incarnation ? stream : null;
  }

  /** Returns the stream to the current incarnation of a node; null if there is none. */
  public @Nullable NodeStream find(String node) {
    return streams.get(node);
  }

  /** The streams to all other live nodes. */
  public Collection<NodeStream> all() {
    return streams.values();
  }

  /**
   * Returns false while too many notices are waiting for any node. In the meantime, new clients
   * must be refused, because other nodes could not be notified of them.
   */
  public boolean canAcceptNotices() {
    for (NodeStream stream : streams.values()) {
      if (!stream.canAcceptNotices()) {
        return false;
      }
    }
    return true;
  }

  /** The totals of all streams. */
  public NodesStatus status() {
    NodesStatus sum = new NodesStatus(0, 0, 0, 0);
    for (NodeStream stream : streams.values()) {
      sum = sum.plus(stream.status());
    }
    return sum;
  }
}
