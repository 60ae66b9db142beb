package io.fjordmq.broker.nodes;

import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The streams to all other living nodes; there are none until a {@link StreamLifecycle} makes some.
 * Thread-safe.
 */
public final class NodeStreams {
  /** By node, in their order: a simulated run says the same to all in the same order. */
  private volatile Map<String, NodeStream> streams = Map.of();

  void replace(Map<String, NodeStream> now) {
    streams = Collections.unmodifiableMap(new TreeMap<>(now));
  }

  Map<String, NodeStream> byNode() {
    return streams;
  }

  /** The stream to this very life of a node; null if it is over or not known. */
  public @Nullable NodeStream find(String node, long incarnation) {
    NodeStream stream = streams.get(node);
    return stream != null && stream.incarnation() == incarnation ? stream : null;
  }

  /** The stream to whatever life the node has now; null if it has none. */
  public @Nullable NodeStream find(String node) {
    return streams.get(node);
  }

  /** To all other living nodes. */
  public Collection<NodeStream> all() {
    return streams.values();
  }

  /** False while more notices wait for some node than should: clients may not connect then. */
  public boolean hasRoomForNotices() {
    for (NodeStream stream : streams.values()) {
      if (!stream.hasRoomForNotices()) {
        return false;
      }
    }
    return true;
  }

  /** Of all streams together. */
  public NodesStatus status() {
    NodesStatus sum = new NodesStatus(0, 0, 0, 0);
    for (NodeStream stream : streams.values()) {
      sum = sum.plus(stream.status());
    }
    return sum;
  }
}
