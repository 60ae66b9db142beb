package io.fjordmq.router;

import io.fjordmq.cluster.NodeId;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Requests of other nodes that this node has not answered yet, because it has not applied the
 * index. A node that still waits repeats its request; a request that is no longer repeated does not
 * count. Thread-safe.
 */
final class PendingBarriers {
  private final long repeatMillis;

  // Guarded by this.
  private final Map<Requester, Asked> open = new HashMap<>();

  private record Requester(NodeId node, long range) {}

  private static final class Asked {
    /** Time of the first request, by index. */
    final NavigableMap<Long, Long> since = new TreeMap<>();

    long lastMillis;
  }

  /**
   * @param repeatMillis a node that has not repeated its request for this long no longer waits
   */
  PendingBarriers(long repeatMillis) {
    this.repeatMillis = repeatMillis;
  }

  synchronized void asked(NodeId node, long range, long index, long nowMillis) {
    Asked asked = open.computeIfAbsent(new Requester(node, range), requester -> new Asked());
    if (nowMillis - asked.lastMillis > repeatMillis) {
      asked.since.clear();
    }
    asked.since.putIfAbsent(index, nowMillis);
    asked.lastMillis = nowMillis;
  }

  /**
   * Requests of the node were answered, or failed.
   *
   * @param upTo all its requests up to this index
   */
  synchronized void answered(NodeId node, long range, long upTo) {
    Requester requester = new Requester(node, range);
    Asked asked = open.get(requester);
    if (asked != null) {
      asked.since.headMap(upTo, true).clear();
      if (asked.since.isEmpty()) {
        open.remove(requester);
      }
    }
  }

  /** The age of the oldest pending request; 0 if there is none. */
  synchronized long oldestMillis(long nowMillis) {
    open.values().removeIf(asked -> nowMillis - asked.lastMillis > repeatMillis);
    return open.values().stream()
        .flatMap(asked -> asked.since.values().stream())
        .mapToLong(since -> nowMillis - since)
        .max()
        .orElse(0);
  }
}
