package io.fjordmq.broker.simulation;

import io.fjordmq.broker.simulation.ClientPackets.Received;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What one session of a client has subscribed to and received. Checks each message as it comes:
 * that it was asked for, that it comes as often as it may, and in order.
 */
final class SessionRecord {
  /** A subscription from its SUBACK until its UNSUBSCRIBE is written. */
  private static final class Subscription {
    final String filter;
    final int qos;
    final long since;
    long until = Ledger.NEVER;

    Subscription(String filter, int qos, long since) {
      this.filter = filter;
      this.qos = qos;
      this.since = since;
    }
  }

  /** What counts as one stream of messages whose order is kept (MQTT 5.0 §4.6). */
  private record Stream(String publisher, String topic, int publishedQos, int receivedQos) {}

  /** How often a message came. */
  private static final class Receptions {
    int stored;
    int live;
    int retained;

    int all() {
      return stored + live;
    }
  }

  private final String clientId;
  private final Ledger ledger;
  private final List<Subscription> granted = new ArrayList<>();
  private final Map<String, Integer> asked = new HashMap<>();
  private final Map<Publication, Receptions> received = new HashMap<>();
  private final Map<Stream, Integer> newest = new HashMap<>();
  // Since when its subscriptions are what the client thinks they are; NEVER while they change.
  private long unchangedSince;
  private int changing;
  private boolean over;

  SessionRecord(String clientId, Ledger ledger) {
    this.clientId = clientId;
    this.ledger = ledger;
  }

  // ---- subscriptions

  void asked(String filter, int qos) {
    changes();
    asked.merge(filter, qos, Math::max);
    // Until the SUBACK the old one or the new one may hold.
    granted.stream()
        .filter(one -> one.filter.equals(filter) && one.qos > qos)
        .forEach(one -> one.until = Math.min(one.until, ledger.tick()));
  }

  void granted(String filter, int qos) {
    granted.add(new Subscription(filter, qos, ledger.tick()));
  }

  private void changes() {
    changing++;
    unchangedSince = Ledger.NEVER;
  }

  /** The answer to a SUBSCRIBE or UNSUBSCRIBE came. */
  void changed() {
    changing--;
    if (changing == 0) {
      unchangedSince = ledger.tick();
    }
  }

  /** Another connection resumes it: what was not answered never will be. */
  void resumed() {
    changing = 0;
    unchangedSince = ledger.tick();
  }

  void unsubscribing(String filter) {
    changes();
    granted.stream()
        .filter(one -> one.filter.equals(filter))
        .forEach(one -> one.until = Math.min(one.until, ledger.tick()));
  }

  /** Filters that are granted and not unsubscribed. */
  Set<String> filters() {
    Set<String> filters = new TreeSet<>();
    granted.stream()
        .filter(one -> one.until == Ledger.NEVER)
        .forEach(one -> filters.add(one.filter));
    return filters;
  }

  /** The session has ended, or may have: nothing is owed to it any more. */
  void end() {
    over = true;
  }

  // ---- messages

  /** A message that is new to the client comes, or with QoS 1 perhaps one it has had. */
  void receive(Publication publication, Received packet, boolean accepted) {
    requireAsked(publication, packet);
    Receptions receptions = received.computeIfAbsent(publication, first -> new Receptions());
    if (packet.retain()) {
      receptions.retained++;
      return;
    }
    boolean known = receptions.all() > 0;
    if (packet.qos() == 0) {
      receptions.live++;
    } else if (accepted || !packet.dup()) {
      receptions.stored++;
    } else {
      receptions.stored = Math.max(1, receptions.stored); // an earlier copy was lost on the way
    }
    requireNotMore(publication, receptions);
    // A repetition may be the first that a receiver of QoS 0 gets: it was away at the first time.
    boolean ordered = packet.qos() > 0 || publication.sends() == 1;
    if (!known && ordered && hasHeldSince(publication, packet.qos())) {
      requireOrder(publication, packet.qos());
    }
  }

  private void requireNotMore(Publication publication, Receptions receptions) {
    int most = publication.qos() == 1 ? publication.sends() : 1;
    // Copies of QoS 0 are remembered nowhere: a publisher of QoS 2 that repeats itself to a broker
    // that has crashed meanwhile reaches them again.
    int mostLive = publication.sends();
    // While subscriptions change, the old and the new may each bring a copy (MQTT 5.0 §3.3.4).
    int mostOfAll =
        unchangedSince < publication.firstSent() ? Math.max(most, mostLive) : most + mostLive;
    if (receptions.stored > most || receptions.live > mostLive || receptions.all() > mostOfAll) {
      throw ledger.violated(
          this + " got " + publication + " as new " + receptions.all() + " times");
    }
  }

  private void requireAsked(Publication publication, Received packet) {
    if (!packet.topic().equals(publication.topic())) {
      throw ledger.violated(this + " got " + publication + " under topic " + packet.topic());
    }
    int most =
        asked.entrySet().stream()
            .filter(one -> Ledger.matches(one.getKey(), publication.topic()))
            .mapToInt(Map.Entry::getValue)
            .max()
            .orElse(-1);
    if (packet.qos() > Math.min(most, publication.qos())) {
      throw ledger.violated(
          this + " got " + publication + " with QoS " + packet.qos() + ", asked for " + most);
    }
  }

  private void requireOrder(Publication publication, int qos) {
    Stream stream =
        new Stream(publication.publisher(), publication.topic(), publication.qos(), qos);
    Integer before = newest.put(stream, publication.number());
    if (before != null && before > publication.number()) {
      throw ledger.violated(this + " got " + publication + " after number " + before);
    }
  }

  /** Whether it is owed the message and does not have it. */
  boolean misses(Publication publication) {
    return !over && !received.containsKey(publication) && isOwed(publication);
  }

  /**
   * Whether a subscription that holds was there before the first PUBLISH: else what it gets may be
   * a repetition of what went before it to others.
   */
  private boolean hasHeldSince(Publication publication, int qos) {
    return granted.stream()
        .anyMatch(
            one ->
                one.until == Ledger.NEVER
                    && one.since < publication.firstSent()
                    && Math.min(one.qos, publication.qos()) == qos
                    && Ledger.matches(one.filter, publication.topic()));
  }

  private boolean isOwed(Publication publication) {
    return granted.stream()
        .anyMatch(
            one ->
                one.since < publication.firstSent()
                    && publication.acknowledged() < one.until
                    && Math.min(one.qos, publication.qos()) > 0
                    && Ledger.matches(one.filter, publication.topic()));
  }

  /** What it got of the topic with RETAIN set. */
  @Nullable Publication newestRetained(String topic) {
    Publication newestOne = null;
    for (Map.Entry<Publication, Receptions> one : received.entrySet()) {
      if (one.getValue().retained > 0
          && one.getKey().topic().equals(topic)
          && (newestOne == null || newestOne.number() < one.getKey().number())) {
        newestOne = one.getKey();
      }
    }
    return newestOne;
  }

  int messages() {
    return received.size();
  }

  @Override
  public String toString() {
    return "the session of " + clientId;
  }
}
