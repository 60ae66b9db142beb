package io.fjordmq.broker.delivery;

import io.fjordmq.inbox.PublishId;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * Which live receivers have been given a message that its publisher may repeat. Inboxes recognise a
 * repetition by themselves; this does the same for receivers that are not stored anywhere, so that
 * QoS 2 is exactly once for them too when a publisher comes back and repeats itself. In memory: a
 * restart ends the sessions it is about.
 *
 * <p>Per publisher it holds no more than that one may still repeat ({@link PublishId#lowest}). It
 * holds a bounded number of publishers; the one longest silent is forgotten, and should that one
 * repeat a message after all, live receivers get it again. Thread-safe.
 */
final class RepeatedPublishes {

  /** What became of the live part of one message. */
  static final class LivePart {
    private boolean sent;
    private Set<ShareKey> shares = Set.of();

    private LivePart() {}

    /** True the first time: the ordinary subscribers are to get it. */
    synchronized boolean isFirst() {
      boolean first = !sent;
      sent = true;
      return first;
    }

    /** A connected member of the share has been sent the message. */
    synchronized void serve(ShareKey share) {
      if (shares.isEmpty()) {
        shares = new HashSet<>(2);
      }
      shares.add(share);
    }

    /** True if a connected member of the share has been sent the message before. */
    synchronized boolean hasServed(ShareKey share) {
      return shares.contains(share);
    }
  }

  private final int maxPublishers;

  /** By producer, the one longest silent first; each by sequence. */
  private final Map<Long, NavigableMap<Long, LivePart>> publishers =
      new LinkedHashMap<>(16, 0.75f, true);

  RepeatedPublishes(int maxPublishers) {
    this.maxPublishers = maxPublishers;
  }

  /** What became of the message earlier; new if it was not here. */
  synchronized LivePart of(PublishId id) {
    NavigableMap<Long, LivePart> its =
        publishers.computeIfAbsent(id.producer(), p -> new TreeMap<>());
    its.headMap(id.lowest()).clear();
    LivePart part = its.computeIfAbsent(id.sequence(), s -> new LivePart());
    if (publishers.size() > maxPublishers) {
      publishers.remove(publishers.keySet().iterator().next());
    }
    return part;
  }

  /** Publishers it remembers. */
  synchronized int size() {
    return publishers.size();
  }
}
