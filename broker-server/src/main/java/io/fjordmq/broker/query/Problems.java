package io.fjordmq.broker.query;

import io.fjordmq.cluster.peer.PeerException;
import io.fjordmq.common.OperationException;
import io.fjordmq.inbox.SessionPosition;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeoutException;

/** Collects what is missing in a response, and why. Thread-safe. */
final class Problems {
  /** Number of texts that are kept. All rows of a page can have the same cause. */
  private static final int MAX_TEXTS = 50;

  private final Set<String> texts = new ConcurrentSkipListSet<>();
  private final Set<String> missingNodes = ConcurrentHashMap.newKeySet();
  private volatile boolean hasMore;

  /** Records that a node did not respond. */
  void addNode(String node, Throwable failure) {
    missingNodes.add(node);
    texts.add(PeerException.describe(node, failure));
  }

  /** Records that something else is missing, for example a range. */
  void add(String what, Throwable failure) {
    add(what + ": " + reason(failure));
  }

  /** Records that the sessions between two positions are missing. */
  void addRange(SessionPosition from, SessionPosition end, Throwable failure) {
    add("inbox range with buckets %d to %d".formatted(from.bucket(), end.bucket() - 1), failure);
  }

  /** Records that the page ended early. */
  void addPageTimeout() {
    add("the time limit for one page was reached; continue with the cursor");
  }

  void add(String text) {
    if (texts.size() < MAX_TEXTS) {
      texts.add(text);
    } else if (!texts.contains(text)) {
      hasMore = true;
    }
  }

  /** Returns whether a node did not respond. */
  boolean isMissing(String node) {
    return missingNodes.contains(node);
  }

  List<String> list() {
    List<String> all = new ArrayList<>(texts);
    if (hasMore) {
      all.add("further parts are missing");
    }
    return List.copyOf(all);
  }

  /** Returns the reason of a failure, for operators. */
  static String reason(Throwable failure) {
    Throwable cause = OperationException.unwrap(failure);
    if (cause instanceof TimeoutException) {
      return "did not respond in time";
    }
    String message = cause.getMessage();
    return message == null ? cause.getClass().getSimpleName() : message;
  }
}
