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
 * The subscriptions and received messages of one session. Checks on arrival that each message was
 * subscribed to, is not duplicated beyond its QoS, and is in order; and at the end that no message
 * is missing. Messages of a share are checked together with the other members.
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

  /**
   * What counts as one stream of messages whose order is kept (MQTT 5.0 §4.6).
   *
   * @param connection of the publisher, for what it does not repeat on the next one: that may be to
   *     another node
   */
  private record Stream(
      String publisher, int connection, String topic, int publishedQos, int receivedQos) {
    static Stream of(Publication publication, int receivedQos) {
      return new Stream(
          publication.publisher(),
          publication.qos() == 0 ? publication.connection() : 0,
          publication.topic(),
          publication.qos(),
          receivedQos);
    }
  }

  /** The number of receptions of a message. */
  private static final class Receptions {
    int stored;
    int live;
    int retained;

    int total() {
      return stored + live;
    }
  }

  private final String clientId;
  private final boolean persistent;
  private final Ledger ledger;
  private final long began;
  private final long brokerIncarnation;
  private final List<Subscription> granted = new ArrayList<>();
  private final Map<String, Integer> maxRequested = new HashMap<>();
  private final Map<String, Integer> minRequested = new HashMap<>();
  private final Map<String, Long> firstRequested = new HashMap<>();
  private final Map<Publication, Receptions> received = new HashMap<>();
  private final Map<Stream, Integer> newest = new HashMap<>();
  private final List<Long> connectTicks = new ArrayList<>();
  // Since when its subscriptions are what the client thinks they are; NEVER while they change.
  private long unchangedSince;
  private int pendingChanges;
  private long ended = Ledger.NEVER;
  private long endKnownSince = Ledger.NEVER;

  SessionRecord(String clientId, boolean persistent, Ledger ledger) {
    this.clientId = clientId;
    this.persistent = persistent;
    this.ledger = ledger;
    this.began = ledger.tick();
    this.brokerIncarnation = ledger.brokerIncarnation();
  }

  long began() {
    return began;
  }

  /** The broker's incarnation when the session began. */
  long brokerIncarnation() {
    return brokerIncarnation;
  }

  /** Time from which the broker certainly knows that the session has ended. */
  long endKnownSince() {
    return endKnownSince;
  }

  String clientId() {
    return clientId;
  }

  /** The client has a new session, and every node knows it. */
  void onReplaced() {
    if (endKnownSince == Ledger.NEVER) {
      endKnownSince = ledger.tick();
    }
  }

  boolean isOver() {
    return ended != Ledger.NEVER;
  }

  // ---- subscriptions

  void onSubscribe(String filter, int qos) {
    beginChange();
    maxRequested.merge(filter, qos, Math::max);
    minRequested.merge(filter, qos, Math::min);
    firstRequested.putIfAbsent(filter, ledger.tick());
    if (ShareRecord.isShared(filter) && !persistent) {
      ledger.share(filter).addTransientMember(this);
    }
    // Until the SUBACK the old one or the new one may hold.
    granted.stream()
        .filter(one -> one.filter.equals(filter) && one.qos > qos)
        .forEach(one -> one.until = Math.min(one.until, ledger.tick()));
  }

  void onGranted(String filter, int qos) {
    granted.add(new Subscription(filter, qos, ledger.tick()));
  }

  private void beginChange() {
    pendingChanges++;
    unchangedSince = Ledger.NEVER;
  }

  /** The response to a SUBSCRIBE or UNSUBSCRIBE arrived. */
  void onResponse() {
    pendingChanges--;
    if (pendingChanges == 0) {
      unchangedSince = ledger.tick();
    }
  }

  /** A subscription was refused, but may have been stored in part. */
  void onRefused() {
    beginChange();
  }

  /** Another connection resumes the session: pending requests will not be answered. */
  void onResumed() {
    connectTicks.add(ledger.tick());
    // What was on its way to a node that the client has left and come back to may be late (0001).
    newest.keySet().removeIf(stream -> stream.receivedQos == 0);
    pendingChanges = 0;
    unchangedSince = ledger.tick();
  }

  void onUnsubscribe(String filter) {
    beginChange();
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

  /** The session has ended, or may have: it expects no more messages. */
  void end() {
    if (!isOver()) {
      requireNoGap();
      ended = ledger.tick();
    }
  }

  // ---- messages

  /** Records a message that is new to the client or, with QoS 1, perhaps a duplicate. */
  void receive(Publication publication, Received packet, boolean accepted) {
    requireSubscribed(publication, packet);
    Receptions receptions = received.computeIfAbsent(publication, first -> new Receptions());
    if (packet.retain()) {
      requireLatestRetained(publication);
      receptions.retained++;
      return;
    }
    boolean known = receptions.total() > 0;
    if (!known) {
      sharesOf(publication)
          .forEach(share -> ledger.share(share).onReceived(this, publication, packet.qos()));
    }
    if (packet.qos() == 0) {
      receptions.live++;
    } else if (accepted || !packet.dup()) {
      receptions.stored++;
    } else {
      receptions.stored = Math.max(1, receptions.stored); // an earlier copy was lost on the way
    }
    requireNoDuplicates(publication, receptions);
    // A repetition may be the first that a receiver of QoS 0 gets: it was away at the first time.
    boolean ordered = (packet.qos() > 0 || publication.sends() == 1) && !publication.mayBeLate();
    if (!known && ordered && wasSubscribedBefore(publication, packet.qos())) {
      requireOrder(publication, packet.qos());
    }
  }

  private void requireNoDuplicates(Publication publication, Receptions receptions) {
    // A repetition may find a share with other members, and come to the same one in the end.
    List<String> shares = sharesOf(publication);
    boolean once = publication.qos() == 2 && shares.isEmpty();
    long most = once ? 1 : publication.sends();
    for (String share : shares) {
      most += ledger.share(share).maxRedeliveries(publication);
    }
    // Copies of QoS 0 are remembered nowhere: a publisher of QoS 2 that repeats itself to a broker
    // that has crashed meanwhile reaches them again.
    int mostLive =
        publication.isWill()
            ? Integer.MAX_VALUE / 2
            : publication.sends() * (1 + movesSince(publication.firstSent()));
    // While subscriptions change, the old and the new may each bring a copy (MQTT 5.0 §3.3.4).
    long mostOfAll =
        unchangedSince < publication.firstSent() ? Math.max(most, mostLive) : most + mostLive;
    if (receptions.stored > most || receptions.live > mostLive || receptions.total() > mostOfAll) {
      throw ledger.violation(
          this + " got " + publication + " as new " + receptions.total() + " times");
    }
  }

  /** Nodes it may have been live at when a message reached them, beyond the first. */
  private int movesSince(long then) {
    return ledger.hasManyNodes()
        ? (int) connectTicks.stream().filter(moment -> moment > then).count()
        : 0;
  }

  private void requireSubscribed(Publication publication, Received packet) {
    if (!packet.topic().equals(publication.topic())) {
      throw ledger.violation(this + " got " + publication + " under topic " + packet.topic());
    }
    int most = maxRequestedQos(publication.topic());
    if (packet.qos() > Math.min(most, publication.qos())) {
      throw ledger.violation(
          this + " got " + publication + " with QoS " + packet.qos() + ", asked for " + most);
    }
  }

  /** The highest QoS it may receive; -1 if it has not subscribed to the topic. */
  int maxRequestedQos(String topic) {
    return maxRequested.entrySet().stream()
        .filter(one -> Ledger.matches(ShareRecord.pattern(one.getKey()), topic))
        .mapToInt(Map.Entry::getValue)
        .max()
        .orElse(-1);
  }

  /** The lowest QoS it has ever requested with the filter; -1 if none. */
  int minRequestedQos(String filter) {
    return minRequested.getOrDefault(filter, -1);
  }

  /** The session's shared filters that match the message. */
  private List<String> sharesOf(Publication publication) {
    return maxRequested.keySet().stream()
        .filter(filter -> ShareRecord.isShared(filter) && matches(filter, publication))
        .toList();
  }

  private static boolean matches(String filter, Publication publication) {
    return Ledger.matches(ShareRecord.pattern(filter), publication.topic());
  }

  /** What is retained when it subscribes is the last that was acknowledged, or later. */
  private void requireLatestRetained(Publication publication) {
    long since =
        firstRequested.entrySet().stream()
            .filter(one -> Ledger.matches(one.getKey(), publication.topic()))
            .mapToLong(Map.Entry::getValue)
            .min()
            .orElse(0);
    Publication later = ledger.laterRetained(publication.topic(), publication, since);
    if (later != null) {
      throw ledger.violation(
          this + " found " + publication + " retained, after the acknowledgement of " + later);
    }
  }

  /**
   * Of messages that stay in order, those before one that came must have come, too, also if the
   * session does not outlive its connection.
   */
  private void requireNoGap() {
    newest.forEach(
        (stream, number) -> {
          for (Publication earlier : ledger.publishedTo(stream.topic)) {
            if (earlier.number() < number
                && earlier.publisher().equals(stream.publisher)
                && earlier.qos() == stream.publishedQos
                && stream.receivedQos > 0
                && unchangedSince < earlier.firstSent()
                && !received.containsKey(earlier)
                && isExpected(earlier)) {
              throw ledger.violation(this + " got number " + number + " but not " + earlier);
            }
          }
        });
  }

  private void requireOrder(Publication publication, int qos) {
    Stream stream = Stream.of(publication, qos);
    Integer before = newest.put(stream, publication.number());
    if (before != null && before > publication.number()) {
      throw ledger.violation(this + " got " + publication + " after number " + before);
    }
  }

  boolean has(Publication publication) {
    return received.containsKey(publication);
  }

  /** Whether it expects the message and has not received it. */
  boolean misses(Publication publication) {
    return !isOver() && !has(publication) && isExpected(publication);
  }

  /**
   * Whether a subscription that holds was there before the first PUBLISH: else what it gets may be
   * a repetition of what went before it to others.
   */
  private boolean wasSubscribedBefore(Publication publication, int qos) {
    return granted.stream()
        .anyMatch(
            one ->
                one.until == Ledger.NEVER
                    && one.since < publication.firstSent()
                    && Math.min(one.qos, publication.qos()) == qos
                    && Ledger.matches(one.filter, publication.topic()));
  }

  private boolean isExpected(Publication publication) {
    // A shared filter, read as an ordinary one, matches nothing here.
    return granted.stream()
        .anyMatch(
            one ->
                one.since < publication.firstSent()
                    && publication.acknowledged() < one.until
                    && Math.min(one.qos, publication.qos()) > 0
                    && Ledger.matches(one.filter, publication.topic()));
  }

  /** The messages of the topic it received with RETAIN set. */
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
