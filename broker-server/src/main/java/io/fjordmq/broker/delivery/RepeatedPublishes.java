package io.fjordmq.broker.delivery;

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
 * Which messages that their publishers may repeat this node's live receivers have been given.
 * Inboxes recognise a repetition by themselves; this does the same for receivers that are not
 * stored anywhere, at whatever node the publisher repeats itself. In memory: a restart ends the
 * sessions it is about.
 *
 * <p>Per publisher it holds no more than that one may still repeat ({@link PublishId#lowest}); what
 * comes from below that comes late, from a node that the publisher has left. Both the publishers
 * and the messages are bounded: the publisher longest silent is forgotten first, and should that
 * one repeat a message after all, live receivers get it again. Thread-safe.
 */
final class RepeatedPublishes {
  private static final Logger LOG = LoggerFactory.getLogger(RepeatedPublishes.class);

  /** As many as a publisher can have in flight. */
  private static final int MAX_PER_PUBLISHER = 65_535;

  /** What became of the live part of one message at this node. */
  static final class LivePart {
    private final boolean over;
    private boolean sent;
    private Set<ShareKey> shares = Set.of();

    private LivePart(boolean over) {
      this.over = over;
      this.sent = over;
    }

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

    /** The member that was sent the message has not taken it. */
    synchronized void withdraw(ShareKey share) {
      shares.remove(share);
    }

    /** True if a connected member of the share has been sent the message before. */
    synchronized boolean hasServed(ShareKey share) {
      return over || shares.contains(share);
    }
  }

  /** Of one publisher. */
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
  private final DeliveryObserver observer;
  private final RateLimitedLog forgotten = new RateLimitedLog();

  /** By producer, the one longest silent first. */
  private final Map<Long, Remembered> publishers = new LinkedHashMap<>(16, 0.75f, true);

  private int messages;

  RepeatedPublishes(DeliverySettings settings, DeliveryObserver observer) {
    this.maxPublishers = settings.maxRepeatingPublishers();
    this.maxMessages = settings.maxRepeatableMessages();
    this.observer = observer;
  }

  /** What became of the message earlier; new if it was not here. */
  synchronized LivePart of(PublishId id) {
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
    observer.forgotPublisher();
    @Nullable String suppressed = forgotten.permit();
    if (suppressed != null) {
      LOG.info(
          "Evicted the QoS 2 state of the publishers that were idle longest; a publish "
              + "they repeat on a new connection may be duplicated for transient subscribers; "
              + "raise deliveryConfig.maxRepeatingPublishers or maxRepeatableMessages{}",
          suppressed);
    }
  }

  /** Publishers it remembers. */
  synchronized int size() {
    return publishers.size();
  }

  /** Messages it remembers, of all publishers. */
  synchronized int messages() {
    return messages;
  }
}
