package io.fjordmq.broker.dispatch;

import io.fjordmq.broker.limits.RateLimitedLog;
import io.fjordmq.inbox.PublishId;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Remembers the repeatable messages that live receivers of this node have received. Inboxes detect
 * duplicates themselves; this class does so for live receivers, whichever node the publisher
 * repeats a message at. Kept in memory, since a restart ends these sessions.
 *
 * <p>Per publisher it holds only messages that may still be repeated ({@link PublishId#lowest});
 * lower ones arrive late, from a node that the publisher has left. Publishers and messages are
 * bounded: the publisher idle longest is evicted first, and if it repeats a message after all, live
 * receivers get a duplicate. Thread-safe.
 */
public final class RepeatedPublishes {
  private static final Logger LOG = LoggerFactory.getLogger(RepeatedPublishes.class);

  /** The largest number of messages that a publisher can have in flight. */
  private static final int MAX_PER_PUBLISHER = 65_535;

  /** The state of the live deliveries of one message on this node. */
  public static final class LivePart {
    private final boolean over;
    private boolean sent;
    private Set<ShareKey> shares = Set.of();

    private LivePart(boolean over) {
      this.over = over;
      this.sent = over;
    }

    /** Returns true the first time: only then ordinary subscribers get the message. */
    public synchronized boolean isFirst() {
      boolean first = !sent;
      sent = true;
      return first;
    }

    /** Records that the message was sent to a connected member of the share. */
    public synchronized void serve(ShareKey share) {
      if (shares.isEmpty()) {
        shares = new HashSet<>(2);
      }
      shares.add(share);
    }

    /** Records that this member has not taken the message. */
    public synchronized void withdraw(ShareKey share) {
      shares.remove(share);
    }

    /** Whether the message was sent to a connected member of the share before. */
    public synchronized boolean hasServed(ShareKey share) {
      return over || shares.contains(share);
    }
  }

  /** The messages of one publisher. */
  private static final class Remembered {
    private final NavigableMap<Long, LivePart> bySequence = new TreeMap<>();
    private long lowest;

    void forgetBelow(long sequence) {
      if (sequence > lowest) {
        bySequence.headMap(sequence).clear();
        lowest = sequence;
      }
    }

    void forgetFirst() {
      forgetBelow(bySequence.firstKey() + 1);
    }

    int size() {
      return bySequence.size();
    }
  }

  private final int maxPublishers;
  private final int maxMessages;
  private final DispatchObserver observer;
  private final RateLimitedLog forgotten = new RateLimitedLog();

  /** By producer, the one idle longest first. */
  private final Map<Long, Remembered> publishers = new LinkedHashMap<>(16, 0.75f, true);

  private int messages;

  RepeatedPublishes(DeliverySettings settings, DispatchObserver observer) {
    this.maxPublishers = settings.maxRepeatingPublishers();
    this.maxMessages = settings.maxRepeatableMessages();
    this.observer = observer;
  }

  /** The state of a message; new if it is unknown. */
  public synchronized LivePart of(PublishId id) {
    Remembered its = publishers.computeIfAbsent(id.producer(), p -> new Remembered());
    int before = its.size();
    its.forgetBelow(Math.min(id.lowest(), id.sequence()));
    LivePart part;
    if (id.sequence() < its.lowest) {
      part = new LivePart(true);
    } else {
      part = its.bySequence.computeIfAbsent(id.sequence(), s -> new LivePart(false));
      if (its.size() > Math.min(MAX_PER_PUBLISHER, maxMessages)) {
        its.forgetFirst();
      }
    }
    messages += its.size() - before;
    while (publishers.size() > maxPublishers || messages > maxMessages) {
      forgetLongestSilent();
    }
    return part;
  }

  private void forgetLongestSilent() {
    long producer = publishers.keySet().iterator().next();
    Remembered silent = publishers.remove(producer);
    messages -= silent == null ? 0 : silent.size();
    observer.onPublisherEvicted();
    @Nullable String suppressed = forgotten.permit();
    if (suppressed != null) {
      LOG.info(
          "Evicted the QoS 2 state of the publishers that were idle longest; a publish "
              + "they repeat on a new connection may be duplicated for transient subscribers; "
              + "raise deliveryConfig.maxRepeatingPublishers or maxRepeatableMessages{}",
          suppressed);
    }
  }

  /** Number of remembered publishers. */
  public synchronized int size() {
    return publishers.size();
  }

  /** Number of remembered messages, of all publishers. */
  public synchronized int messages() {
    return messages;
  }
}
