package io.fjordmq.router.client;

import io.fjordmq.cluster.NodeId;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Requests from other nodes that this node has not responded to yet, because it has not applied the
 * index. A waiting node repeats its request; a request that is no longer repeated is ignored.
 * Thread-safe.
 */
final class PendingBarriers {
  private final long repeatMillis;

  // Guarded by this.
  private final Map<Requester, Request> requests = new HashMap<>();

  private record Requester(NodeId node, long range) {}

  private static final class Request {
    /** Time of the first request, by index. */
    final NavigableMap<Long, Long> since = new TreeMap<>();

    long lastMillis;
  }

  /**
   * @param repeatMillis time after which a node that has not repeated its request counts as no
   *     longer waiting
   */
  PendingBarriers(long repeatMillis) {
    this.repeatMillis = repeatMillis;
  }

  synchronized void onRequest(NodeId node, long range, long index, long nowMillis) {
    Request request =
        requests.computeIfAbsent(new Requester(node, range), requester -> new Request());
    if (nowMillis - request.lastMillis > repeatMillis) {
      request.since.clear();
    }
    request.since.putIfAbsent(index, nowMillis);
    request.lastMillis = nowMillis;
  }

  /**
   * Must be called when requests from the node have been completed, successfully or not.
   *
   * @param upTo index up to which its requests have been completed
   */
  synchronized void onResponse(NodeId node, long range, long upTo) {
    Requester requester = new Requester(node, range);
    Request request = requests.get(requester);
    if (request != null) {
      request.since.headMap(upTo, true).clear();
      if (request.since.isEmpty()) {
        requests.remove(requester);
      }
    }
  }

  /** Returns the age of the oldest pending request; 0 if there is none. */
  synchronized long oldestMillis(long nowMillis) {
    requests.values().removeIf(request -> nowMillis - request.lastMillis > repeatMillis);
    return requests.values().stream()
        .flatMap(request -> request.since.values().stream())
        .mapToLong(since -> nowMillis - since)
        .max()
        .orElse(0);
  }
}
