package io.fjordmq.broker.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What was published, what was acknowledged, and to which sessions it is owed. Orders what happens
 * at the clients by a count of its own: a subscription holds for what is first sent after its
 * SUBACK came.
 */
final class Ledger {
  static final long NEVER = Long.MAX_VALUE;
  private static final int REMEMBERED_LINES = 4_000;

  private final Map<String, Publication> publications = new HashMap<>();
  private final List<Publication> inOrder = new ArrayList<>();
  private final List<SessionRecord> sessions = new ArrayList<>();
  private final ArrayDeque<String> story = new ArrayDeque<>();
  private final long seed;
  private final boolean tellsStory;
  private long now;

  /**
   * @param tellsStory whether what happened last is part of a failure's message
   */
  Ledger(long seed, boolean tellsStory) {
    this.seed = seed;
    this.tellsStory = tellsStory;
  }

  long tick() {
    return ++now;
  }

  void note(String line) {
    if (tellsStory) {
      story.add(line);
      if (story.size() > REMEMBERED_LINES) {
        story.remove();
      }
    }
  }

  AssertionError violated(String what) {
    String complaint = "seed " + seed + ": " + what;
    return new AssertionError(
        story.isEmpty() ? complaint : complaint + "\n" + String.join("\n", story));
  }

  SessionRecord newSession(String clientId) {
    SessionRecord session = new SessionRecord(clientId, this);
    sessions.add(session);
    return session;
  }

  void add(Publication publication) {
    publications.put(publication.payload(), publication);
    inOrder.add(publication);
  }

  Publication published(String payload) {
    Publication publication = publications.get(payload);
    if (publication == null) {
      throw violated("nobody has published " + payload);
    }
    return publication;
  }

  /** Acknowledged messages that somebody waits for. */
  List<String> missing() {
    List<String> missing = new ArrayList<>();
    for (Publication publication : inOrder) {
      if (publication.acknowledged() != NEVER) {
        for (SessionRecord session : sessions) {
          if (session.misses(publication)) {
            missing.add(session + " misses " + publication);
          }
        }
      }
    }
    return missing;
  }

  /**
   * What speaks against a message that is found retained: an acknowledged one that came later for
   * sure.
   *
   * @param found null if the topic has none
   */
  @Nullable Publication laterRetained(String topic, @Nullable Publication found) {
    for (Publication other : inOrder) {
      if (other.retain() && other.topic().equals(topic) && other.acknowledged() != NEVER) {
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

  /** A second, slow and simple reading of MQTT 5.0 §4.7; no topic here begins with $. */
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
