package io.fjordmq.broker.events;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The last events of one client. Not thread-safe. */
final class ClientRecord {
  /** The number of events that are kept. */
  static final int MAX_EVENTS = 50;

  /** Number of recent events that are searched for one that a new event repeats. */
  private static final int LOOK_BACK = 8;

  /** Approximate memory of a client without events, and of an event without texts. */
  private static final int CLIENT_BYTES = 250;

  private static final int EVENT_BYTES = 200;

  private static final class Entry {
    private ClientEvent event;
    private final long firstAtMillis;
    private long atMillis;
    private long count;

    private Entry(ClientEvent event, long nowMillis) {
      this.event = event;
      this.firstAtMillis = nowMillis;
      this.atMillis = nowMillis;
      this.count = event.count();
    }

    private int bytes() {
      return EVENT_BYTES + event.chars();
    }
  }

  private final ArrayList<Entry> entries = new ArrayList<>(2);
  private int bytes;

  ClientRecord(String clientId) {
    bytes = CLIENT_BYTES + clientId.length();
  }

  /** The approximate memory of this record. */
  int bytes() {
    return bytes;
  }

  void add(ClientEvent event, long nowMillis) {
    Entry repeated = findRepeated(event);
    if (repeated == null) {
      if (entries.size() == MAX_EVENTS) {
        bytes -= entries.remove(0).bytes();
      }
      Entry entry = new Entry(event, nowMillis);
      entries.add(entry);
      bytes += entry.bytes();
      return;
    }
    bytes -= repeated.bytes();
    repeated.event = event.combinedWith(repeated.event);
    repeated.atMillis = Math.max(repeated.atMillis, nowMillis);
    repeated.count += event.count();
    bytes += repeated.bytes();
  }

  /** Returns the recent entry that the event repeats, if any. */
  private @Nullable Entry findRepeated(ClientEvent event) {
    int separate = event.separateRepetitions();
    if (separate > 0) {
      return endsWith(event, separate) ? entries.get(entries.size() - 1) : null;
    }
    for (int i = entries.size() - 1; i >= Math.max(0, entries.size() - LOOK_BACK); i--) {
      Entry entry = entries.get(i);
      if (event.repeats(entry.event)) {
        return entry;
      }
      if (entry.event.isBoundary()) {
        return null;
      }
    }
    return null;
  }

  /** Returns whether the event repeats each of the last entries. */
  private boolean endsWith(ClientEvent event, int count) {
    if (entries.size() < count) {
      return false;
    }
    for (int i = entries.size() - count; i < entries.size(); i++) {
      if (!event.repeats(entries.get(i).event)) {
        return false;
      }
    }
    return true;
  }

  /** Adds the events to the list, oldest first. */
  void copyTo(@Nullable String tenant, List<RecordedEvent> to) {
    for (Entry entry : entries) {
      to.add(
          new RecordedEvent(tenant, entry.atMillis, entry.firstAtMillis, entry.count, entry.event));
    }
  }
}
