package io.fjordmq.broker.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The messages the members of one share have received together. Some members are steady, so each
 * message has a receiver; the sessions of others are transient (MQTT 5.0 §4.8.2).
 */
final class ShareRecord {
  private record Reception(SessionRecord session, int qos) {}

  private final String filter;
  private final Ledger ledger;
  private final Map<Publication, List<Reception>> received = new HashMap<>();
  private final Set<SessionRecord> transientMembers = new HashSet<>();
  private long since = Ledger.NEVER;

  ShareRecord(String filter, Ledger ledger) {
    this.filter = filter;
    this.ledger = ledger;
  }

  static boolean isShared(String filter) {
    return filter.startsWith("$share/");
  }

  /** The filter without its share. */
  static String pattern(String filter) {
    return isShared(filter) ? filter.split("/", 3)[2] : filter;
  }

  /** The steady members are subscribed. */
  void start() {
    since = ledger.tick();
  }

  /** A transient session subscribes to the share. */
  void addTransientMember(SessionRecord session) {
    transientMembers.add(session);
  }

  void onReceived(SessionRecord session, Publication publication, int qos) {
    received
        .computeIfAbsent(publication, first -> new ArrayList<>(1))
        .add(new Reception(session, qos));
    requireOnce(publication, transientMembers::contains);
  }

  /**
   * At the end of a run, when the connections that are there have acknowledged what they have.
   *
   * @throws AssertionError if one of them and another member have the same message
   */
  void requireOnce() {
    received
        .keySet()
        .forEach(
            publication ->
                requireOnce(publication, one -> transientMembers.contains(one) && one.isOver()));
  }

  /**
   * @param mayHandOver whose messages of QoS 1 may have gone to another member, too: the broker
   *     knows earlier than the client that its connection is gone, and may not have got its
   *     acknowledgement
   */
  private void requireOnce(Publication publication, Predicate<SessionRecord> mayHandOver) {
    if (publication.qos() == 0 || publication.sends() > 1) {
      return; // a repetition may meet other members than the first
    }
    List<Reception> receptions = received.getOrDefault(publication, List.of());
    long count =
        receptions.stream().filter(one -> one.qos != 1 || !mayHandOver.test(one.session)).count();
    if (count > 1 + maxRedeliveries(publication)) {
      throw ledger.violation(
          "members of " + filter + " got " + publication + " " + count + " times: " + receptions);
    }
  }

  /**
   * How often a message that was sent once may have been given to members a second time. A node
   * that stood still until others counted it as down may have been given it for one of its clients:
   * others have given it to another member, since they got no answer, and it does so, too, when it
   * finds that its clients are gone; both may choose the same one. MQTT 5.0 §4.8.2 allows that for
   * what its client gets with QoS 1.
   */
  long maxRedeliveries(Publication publication) {
    boolean withQos1 =
        publication.qos() == 1
            || transientMembers.stream()
                .anyMatch(
                    one ->
                        one.minRequestedQos(filter) == 1
                            && publication.firstSent() < one.endKnownSince());
    return withQos1 ? ledger.incarnationsEndedSince(publication.firstSent()) : 0;
  }

  /** Whether the members expect it and none has received it. */
  boolean misses(Publication publication) {
    return publication.qos() > 0
        && since < publication.firstSent()
        && publication.acknowledged() != Ledger.NEVER
        && Ledger.matches(pattern(filter), publication.topic())
        && !received.containsKey(publication)
        && transientMembers.stream().noneMatch(one -> mayHaveLost(one, publication));
  }

  /**
   * What a connected member has been sent with QoS 2 is nobody else's when it goes; what it has
   * been sent with QoS 1 goes to another one, unless the broker dies before.
   */
  private boolean mayHaveLost(SessionRecord session, Publication publication) {
    boolean wasThere =
        session.isOver()
            && session.began() < publication.acknowledged()
            && publication.firstSent() < session.endKnownSince();
    boolean exactlyOnce =
        publication.qos() == 2 && session.maxRequestedQos(publication.topic()) == 2;
    return wasThere
        && (exactlyOnce
            || session.brokerIncarnation() != ledger.brokerIncarnation()
            || !ledger.neverTimesOut());
  }

  @Override
  public String toString() {
    return filter;
  }
}
