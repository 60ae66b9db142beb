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
  /** By node, sorted, so that simulated runs are repeatable. */
  private volatile Map<String, NodeStream> streams = Map.of();

  void replace(Map<String, NodeStream> now) {
    streams = Collections.unmodifiableMap(new TreeMap<>(now));
  }

  Map<String, NodeStream> byNode() {
    return streams;
  }

  /** The stream to exactly this incarnation of a node; null if it is over or unknown. */
  public @Nullable NodeStream find(String node, long incarnation) {
    NodeStream stream = streams.get(node);
    return stream != null && stream.incarnation() == incarnation ? stream : null;
  }

  /** The stream to the current incarnation of a node; null if it has none. */
  public @Nullable NodeStream find(String node) {
    return streams.get(node);
  }

  /** The streams to all other live nodes. */
  public Collection<NodeStream> all() {
    return streams.values();
  }

  /** False while too many notices wait for a node; clients may not connect then. */
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
