package io.fjordmq.inbox;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A simple model of the inboxes of a few clients. */
final class ModelInboxes {
  /** The session of a client. */
  static final class Session {
    final long incarnation;
    boolean attached = true;
    long epoch;
    long expiresAt = Long.MAX_VALUE;
    long willDueAt = Long.MAX_VALUE;
    @Nullable String will;
    long willDelayMillis;
    long nextSequence = 1;
    long sentBelow = 1;
    final TreeMap<Long, Entry> entries = new TreeMap<>();
    final TreeSet<Long> released = new TreeSet<>();
    final TreeSet<String> filters = new TreeSet<>();
    final TreeMap<Integer, Long> received = new TreeMap<>();
    long nextPublish = 1;
    final Set<String> publishIds = new HashSet<>();

    Session(long incarnation) {
      this.incarnation = incarnation;
    }

    long firstUndelivered() {
      long first = entries.isEmpty() ? nextSequence : entries.firstKey();
      return released.isEmpty() ? first : Math.min(first, released.first());
    }

    List<Long> acknowledged() {
      List<Long> gone = new ArrayList<>();
      for (long s = firstUndelivered(); s < nextSequence; s++) {
        if (!entries.containsKey(s) && !released.contains(s)) {
          gone.add(s);
        }
      }
      return gone;
    }
  }

  record Entry(String payload, long expiresAt, int bytes) {}

  final Map<String, Session> sessions = new HashMap<>();
  final List<String> wills = new ArrayList<>();
  final List<String> endedClients = new ArrayList<>();
  final Map<String, Long> dropCounts = new HashMap<>();
  private final InboxLimits limits;
  private long lastIncarnation;

  ModelInboxes(InboxLimits limits) {
    this.limits = limits;
  }

  Session attach(
      String client, boolean clean, @Nullable String will, long willDelayMillis, long now) {
    advance(client, now);
    Session old = sessions.get(client);
    if (old != null && old.will != null) {
      if (clean || (old.attached && old.willDelayMillis == 0)) {
        wills.add(old.will);
      }
    }
    if (old != null && clean) {
      end(old);
      sessions.remove(client);
    }
    Session session = sessions.computeIfAbsent(client, key -> new Session(++lastIncarnation));
    if (session == old && old.attached) {
      session.sentBelow = session.nextSequence;
    }
    session.attached = true;
    session.epoch = (old == null ? 0 : old.epoch) + 1;
    session.expiresAt = Long.MAX_VALUE;
    session.willDueAt = Long.MAX_VALUE;
    session.will = will;
    session.willDelayMillis = willDelayMillis;
    return session;
  }

  void detach(String client, long sentBelow, long expiryMillis, boolean publishWill, long now) {
    Session session = session(client);
    session.attached = false;
    session.sentBelow = Math.max(session.sentBelow, sentBelow);
    session.expiresAt = now + expiryMillis;
    if (!publishWill) {
      session.will = null;
    }
    if (session.will != null) {
      session.willDueAt = now + Math.min(expiryMillis, session.willDelayMillis);
    }
    advance(client, now);
  }

  /** Simulates a crash of the process that held all connections. */
  void crash(long expiryMillis, long now) {
    for (String client : List.copyOf(sessions.keySet())) {
      if (session(client).attached) {
        detach(client, session(client).nextSequence, expiryMillis, true, now);
      }
    }
  }

  private Session session(String client) {
    return Objects.requireNonNull(sessions.get(client));
  }

  /** Publishes the will of a detached client if due, and ends its session if expired. */
  void advance(String client, long now) {
    Session session = sessions.get(client);
    if (session == null || session.attached) {
      return;
    }
    if (session.will != null && session.willDueAt <= now) {
      wills.add(session.will);
      session.will = null;
    }
    if (session.expiresAt <= now) {
      endedClients.add(client);
      end(session);
      sessions.remove(client);
    }
  }

  private void end(Session session) {
    drop(DropReasons.SESSION_ENDED, session.entries.size());
  }

  private void drop(String reason, long count) {
    if (count > 0) {
      dropCounts.merge(reason, count, Long::sum);
    }
  }

  InboxStore.InsertOutcome insert(
      String client, Entry entry, @Nullable String publishId, long now) {
    Session session = sessions.get(client);
    if (session == null) {
      return InboxStore.InsertOutcome.ABSENT;
    }
    if (publishId != null && session.publishIds.contains(publishId)) {
      return InboxStore.InsertOutcome.DUPLICATE;
    }
    boolean droppedLive = false;
    while (!fits(session, entry)) {
      if (session.entries.isEmpty() || entry.bytes() > limits.maxBytes()) {
        return InboxStore.InsertOutcome.REFUSED_FULL;
      }
      Entry oldest = session.entries.firstEntry().getValue();
      boolean expired = oldest.expiresAt() <= now;
      if (!expired && limits.whenFull() == InboxLimits.WhenFull.REFUSE) {
        return InboxStore.InsertOutcome.REFUSED_FULL;
      }
      session.entries.pollFirstEntry();
      drop(expired ? DropReasons.EXPIRED : DropReasons.INBOX_FULL, 1);
      droppedLive |= !expired;
    }
    session.entries.put(session.nextSequence++, entry);
    if (publishId != null) {
      session.publishIds.add(publishId);
    }
    return droppedLive
        ? InboxStore.InsertOutcome.STORED_DROPPING_OLDEST
        : InboxStore.InsertOutcome.STORED;
  }

  private boolean fits(Session session, Entry entry) {
    int bytes = session.entries.values().stream().mapToInt(Entry::bytes).sum();
    return session.entries.size() < limits.maxMessages()
        && bytes + entry.bytes() <= limits.maxBytes();
  }

  void commit(String client, long upTo, List<Long> beyond) {
    Session session = session(client);
    session.entries.headMap(upTo).clear();
    session.released.headSet(upTo).clear();
    session.entries.keySet().removeAll(beyond);
    session.released.removeAll(beyond);
  }

  void release(String client, long sequence) {
    Session session = session(client);
    if (session.entries.remove(sequence) != null) {
      session.released.add(sequence);
    }
  }

  void dropExpired(String client, List<Long> found, long now) {
    Session session = session(client);
    for (long sequence : found) {
      Entry entry = session.entries.get(sequence);
      if (entry != null && entry.expiresAt() <= now) {
        session.entries.remove(sequence);
        drop(DropReasons.EXPIRED, 1);
      }
    }
  }
}
