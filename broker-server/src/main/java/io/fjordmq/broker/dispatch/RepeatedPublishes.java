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
 * Remembers the resendable messages that live receivers on this node have received. Inboxes detect
 * duplicates themselves; this class detects them for live receivers, regardless of the node to
 * which the publisher resends a message. The state is kept only in memory, because a restart ends
 * live sessions anyway.
 *
 * <p>For each publisher, it holds only messages that may still be resent ({@link
 * PublishId#lowest}). A message with a lower sequence is a duplicate that arrives late from a node
 * to which the publisher was connected before. The numbers of publishers and messages are bounded:
 * the least recently active publisher is evicted, and if that publisher does resend a message, live
 * receivers receive a duplicate. Thread-safe.
 */
public final class RepeatedPublishes {
  private static final Logger LOG = LoggerFactory.getLogger(RepeatedPublishes.class);

  /** The maximum number of messages that a publisher can have in flight. */
  private static final int MAX_PER_PUBLISHER = 65_535;

  /** The state of one message's live deliveries on this node. */
  public static final class LiveDeliveryState {
    private final boolean superseded;
    private boolean sent;
    private Set<ShareKey> shares = Set.of();

    private LiveDeliveryState(boolean superseded) {
      this.superseded = superseded;
      this.sent = superseded;
    }

    /**
     * Marks the message as sent to ordinary subscribers. Returns true on the first call; only then
     * may the message be delivered to them.
     */
    public synchronized boolean markSent() {
      boolean first = !sent;
      sent = true;
      return first;
    }

    /** Records that the message was sent to a connected member of the share. */
    public synchronized void recordSent(ShareKey share) {
      if (shares.isEmpty()) {
        shares = new HashSet<>(2);
      }
      shares.add(share);
    }

    /** Records that the member of the share did not accept the message. */
    public synchronized void withdraw(ShareKey share) {
      shares.remove(share);
    }

    /** Whether the message has already been sent to a connected member of the share. */
    public synchronized boolean wasSent(ShareKey share) {
      return superseded || shares.contains(share);
    }
  }

  /** The messages of one publisher. */
  private static final class PublisherState {
    private final NavigableMap<Long, LiveDeliveryState> bySequence = new TreeMap<>();
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
  private final RateLimitedLog evictionLog = new RateLimitedLog();

  /** The publishers by {@link PublishId#producer}, least recently active first. */
  private final Map<Long, PublisherState> publishers = new LinkedHashMap<>(16, 0.75f, true);

  private int messages;

  RepeatedPublishes(DeliverySettings settings, DispatchObserver observer) {
    this.maxPublishers = settings.maxRepeatingPublishers();
    this.maxMessages = settings.maxRepeatableMessages();
    this.observer = observer;
  }

  /** Returns the state of a message, creating it if the message is unknown. */
  public synchronized LiveDeliveryState stateOf(PublishId id) {
    PublisherState state = publishers.computeIfAbsent(id.producer(), p -> new PublisherState());
    int before = state.size();
    state.forgetBelow(Math.min(id.lowest(), id.sequence()));
    LiveDeliveryState part;
    if (id.sequence() < state.lowest) {
      part = new LiveDeliveryState(true);
    } else {
      part = state.bySequence.computeIfAbsent(id.sequence(), s -> new LiveDeliveryState(false));
      if (state.size() > Math.min(MAX_PER_PUBLISHER, maxMessages)) {
        state.forgetFirst();
      }
    }
    messages += state.size() - before;
    while (publishers.size() > maxPublishers || messages > maxMessages) {
      evictLeastRecentlyActive();
    }
    return part;
  }

  private void evictLeastRecentlyActive() {
    long producer = publishers.keySet().iterator().next();
    PublisherState evicted = publishers.remove(producer);
    messages -= evicted == null ? 0 : evicted.size();
    observer.onPublisherEvicted();
    @Nullable String suppressed = evictionLog.permit();
    if (suppressed != null) {
      LOG.info(
          "Evicted the QoS 2 state of the least recently active publishers; if they resend a"
              + " publish on a new connection, transient subscribers may receive a duplicate; raise"
              + " deliveryConfig.maxRepeatingPublishers or maxRepeatableMessages{}",
          suppressed);
    }
  }

  /** The number of remembered publishers. */
  public synchronized int size() {
    return publishers.size();
  }

  /** The number of remembered messages of all publishers. */
  public synchronized int messageCount() {
    return messages;
  }
}
