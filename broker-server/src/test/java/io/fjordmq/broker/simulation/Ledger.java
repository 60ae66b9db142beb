package io.fjordmq.broker.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Records what was published and acknowledged, and which sessions must receive it. Orders events at
 * the clients by its own counter: a subscription covers messages first sent after its SUBACK
 * arrived.
 */
final class Ledger {
  static final long NEVER = Long.MAX_VALUE;
  private static final int MAX_RECENT_EVENTS = 4_000;

  private final Map<String, Publication> publications = new HashMap<>();
  private final List<Publication> inOrder = new ArrayList<>();
  private final Map<String, List<Publication>> byTopic = new HashMap<>();
  private final List<SessionRecord> sessions = new ArrayList<>();
  private final Map<String, ShareRecord> shares = new TreeMap<>();
  private final List<ModelWill> wills = new ArrayList<>();
  private final ArrayDeque<String> recentEvents = new ArrayDeque<>();
  private final long seed;
  private final boolean printsRecentEvents;
  private int firstChecked;
  private long now;
  private long brokerIncarnation;
  private boolean neverTimesOut;
  private boolean manyNodes;
  private boolean excusesClients;

  /** When an incarnation of a node was first seen to have ended. */
  private final Map<String, Long> endedIncarnations = new HashMap<>();

  /**
   * @param printsRecentEvents whether the message of a failure includes the last events
   */
  Ledger(long seed, boolean printsRecentEvents) {
    this.seed = seed;
    this.printsRecentEvents = printsRecentEvents;
  }

  long tick() {
    return ++now;
  }

  void note(String line) {
    note(() -> line);
  }

  /** For frequent lines: most runs do not print events. */
  void note(Supplier<String> line) {
    if (printsRecentEvents) {
      recentEvents.add(line.get());
      if (recentEvents.size() > MAX_RECENT_EVENTS) {
        recentEvents.remove();
      }
    }
  }

  AssertionError violation(String what) {
    String complaint = "seed " + seed + ": " + what;
    return new AssertionError(
        recentEvents.isEmpty() ? complaint : complaint + "\n" + String.join("\n", recentEvents));
  }

  void setBrokerIncarnation(long life) {
    this.brokerIncarnation = life;
  }

  /** The current incarnation of the broker, or the last one while it is down. */
  long brokerIncarnation() {
    return brokerIncarnation;
  }

  void setManyNodes() {
    manyNodes = true;
  }

  /** Whether a client may find another node each time it connects. */
  boolean hasManyNodes() {
    return manyNodes;
  }

  /** The cluster has marked this incarnation of a node as ended; the node may not know it yet. */
  void recordEndedIncarnation(String life) {
    if (endedIncarnations.putIfAbsent(life, tick()) == null) {
      note("the cluster has ended " + life);
    }
  }

  /** Incarnations of nodes that have ended since. */
  long incarnationsEndedSince(long then) {
    return endedIncarnations.values().stream().filter(ended -> ended > then).count();
  }

  /** Whether wills wait for clients whose node has gone. */
  void setExcusesClients(boolean excuses) {
    excusesClients = excuses;
  }

  boolean excusesClients() {
    return excusesClients;
  }

  void setNeverTimesOut(boolean patient) {
    this.neverTimesOut = patient;
  }

  /** Whether the broker never times out a call to its stores. */
  boolean neverTimesOut() {
    return neverTimesOut;
  }

  /**
   * @param persistent false if it ends with its connection
   */
  SessionRecord newSession(String clientId, boolean persistent) {
    SessionRecord session = new SessionRecord(clientId, persistent, this);
    sessions.add(session);
    return session;
  }

  /** The client's ended sessions; once the client has reconnected, the broker knows it, too. */
  List<SessionRecord> endedSessionsOf(String clientId) {
    return sessions.stream()
        .filter(session -> session.clientId().equals(clientId) && session.isOver())
        .toList();
  }

  void add(Publication publication) {
    publications.put(publication.payload(), publication);
    inOrder.add(publication);
    byTopic.computeIfAbsent(publication.topic(), first -> new ArrayList<>()).add(publication);
  }

  ModelWill newWill(ModelWill will) {
    add(will.message());
    will.message().sent(tick());
    wills.add(will);
    return will;
  }

  ShareRecord share(String filter) {
    return shares.computeIfAbsent(filter, first -> new ShareRecord(first, this));
  }

  Collection<ShareRecord> shares() {
    return shares.values();
  }

  Publication requirePublication(String payload) {
    Publication publication = publications.get(payload);
    if (publication == null) {
      throw violation("received a message that no client published: " + payload);
    }
    return publication;
  }

  /** The messages published to the topic; each topic has one publisher. */
  List<Publication> publishedTo(String topic) {
    return byTopic.getOrDefault(topic, List.of());
  }

  /**
   * Whether every session and share has received all acknowledged messages. Asked often, so the
   * search ends at the first missing message and begins there the next time.
   */
  boolean isComplete() {
    for (int i = 0; i < inOrder.size(); i++) {
      int at = (firstChecked + i) % inOrder.size();
      if (isMissing(inOrder.get(at))) {
        firstChecked = at;
        return false;
      }
    }
    return true;
  }

  private boolean isMissing(Publication publication) {
    return publication.acknowledged() != NEVER
        && (sessions.stream().anyMatch(session -> session.misses(publication))
            || shares.values().stream().anyMatch(share -> share.misses(publication)));
  }

  /** Acknowledged messages that a session or share has not received. */
  List<String> missing() {
    List<String> missing = new ArrayList<>();
    for (Publication publication : inOrder) {
      if (publication.acknowledged() != NEVER) {
        for (SessionRecord session : sessions) {
          if (session.misses(publication)) {
            missing.add(session + " misses " + publication);
          }
        }
        for (ShareRecord share : shares.values()) {
          if (share.misses(publication)) {
            missing.add("every member of " + share + " misses " + publication);
          }
        }
      }
    }
    return missing;
  }

  /**
   * Wills with an unexpected fate.
   *
   * @param witness subscribed to all of them for the whole run
   */
  List<String> wrongWills(SessionRecord witness, Moment now) {
    List<String> wrong = new ArrayList<>();
    for (ModelWill will : wills) {
      ModelWill.Fate fate = will.fate(now, neverTimesOut);
      boolean published = witness.has(will.message());
      if (fate == ModelWill.Fate.PUBLISHED && !published) {
        wrong.add("not published: " + will);
      } else if (fate == ModelWill.Fate.NOT_PUBLISHED && published) {
        wrong.add("published unexpectedly: " + will);
      }
    }
    return wrong;
  }

  /**
   * What speaks against a message that is found retained: an acknowledged one that came later for
   * sure.
   *
   * @param found null if the topic has none
   * @param before later acknowledgements do not count
   */
  @Nullable Publication laterRetained(String topic, @Nullable Publication found, long before) {
    for (Publication other : publishedTo(topic)) {
      if (other.retain() && other.acknowledged() < before) {
        boolean later =
            found == null
                || (other.number() > found.number()
                    && (other.qos() == found.qos() || found.acknowledged() < other.firstSent()));
        if (later) {
          return other;
        }
      }
    }
    return null;
  }

  long received() {
    return sessions.stream().mapToLong(SessionRecord::messages).sum();
  }

  /** An independent, simple implementation of MQTT 5.0 §4.7; no topic here begins with $. */
  static boolean matches(String filter, String topic) {
    String[] pattern = filter.split("/", -1);
    String[] levels = topic.split("/", -1);
    for (int i = 0; i < pattern.length; i++) {
      if (pattern[i].equals("#")) {
        return true;
      }
      if (i == levels.length || !(pattern[i].equals("+") || pattern[i].equals(levels[i]))) {
        return false;
      }
    }
    return pattern.length == levels.length;
  }
}
