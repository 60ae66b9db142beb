package io.fjordmq.cluster.consensus.sim;

import io.fjordmq.cluster.consensus.ReplicaSet;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The log and hard state of a replica on its {@link SimDisk}. Only methods that say so sync. */
final class SimLog {
  private static final int MAX_DIGITS = 19;

  private final SimDisk disk;
  private final String prefix;
  private final List<Entry> entries = new ArrayList<>();
  private Base base;
  private ReplicaSet replicas;
  private HardState hardState;

  /** Holds data of the group or a change of its replicas; an entry with neither starts a term. */
  @SuppressWarnings("ArrayRecordComponent") // compared by identity of data on purpose
  record Entry(long index, long term, byte @Nullable [] data, @Nullable ReplicaSet replicas) {}

  /**
   * The truncated part of the log.
   *
   * @param index last truncated index
   * @param lastData index of the last of these entries that a state has received
   */
  record Base(long index, long term, ReplicaSet replicas, long lastData) {}

  record HardState(long term, @Nullable String votedFor) {}

  private SimLog(SimDisk disk, String prefix, Base base, HardState hardState) {
    this.disk = disk;
    this.prefix = prefix;
    this.base = base;
    this.replicas = base.replicas;
    this.hardState = hardState;
  }

  /** Writes an empty log; durable when it returns. */
  static void create(SimDisk disk, String prefix, ReplicaSet members) {
    create(disk, prefix, new Base(0, 0, members, 0));
  }

  /** Like {@link #create(SimDisk, String, ReplicaSet)}, for a log that begins after an index. */
  static void create(SimDisk disk, String prefix, ReplicaSet members, long appliedIndex) {
    create(disk, prefix, new Base(appliedIndex, 1, members, appliedIndex));
  }

  private static void create(SimDisk disk, String prefix, Base base) {
    disk.put(prefix + "base", base);
    disk.put(prefix + "hard", new HardState(base.term, null));
    disk.syncNow();
  }

  static @Nullable SimLog open(SimDisk disk, String prefix) {
    if (!(disk.get(prefix + "base") instanceof Base base)
        || !(disk.get(prefix + "hard") instanceof HardState hard)) {
      return null;
    }
    SimLog log = new SimLog(disk, prefix, base, hard);
    disk.entriesWithPrefix(prefix + "log/").values().forEach(e -> log.entries.add((Entry) e));
    log.findReplicas();
    return log;
  }

  static void destroy(SimDisk disk, String prefix) {
    disk.entriesWithPrefix(prefix).keySet().forEach(disk::remove);
    disk.syncNow();
  }

  Base base() {
    return base;
  }

  /** The latest replica set in the log, committed or not, as Raft's membership changes require. */
  ReplicaSet replicas() {
    return replicas;
  }

  HardState hardState() {
    return hardState;
  }

  /** Durable when it returns. */
  void setHardState(HardState state) {
    hardState = state;
    disk.put(prefix + "hard", state);
    disk.syncNow();
  }

  long lastIndex() {
    return base.index + entries.size();
  }

  long lastTerm() {
    return term(lastIndex());
  }

  /** Returns -1 for an index that the log does not hold. */
  long term(long index) {
    if (index == base.index) {
      return base.term;
    }
    return index < base.index || index > lastIndex() ? -1 : entry(index).term;
  }

  Entry entry(long index) {
    return entries.get((int) (index - base.index - 1));
  }

  List<Entry> from(long index, int limit) {
    int start = (int) (index - base.index - 1);
    return List.copyOf(entries.subList(start, Math.min(entries.size(), start + limit)));
  }

  void append(Entry entry) {
    if (entry.index != lastIndex() + 1) {
      throw new AssertionError("log gap: " + entry.index + " after " + lastIndex());
    }
    disk.put(key(entry.index), entry);
    entries.add(entry);
    if (entry.replicas != null) {
      replicas = entry.replicas;
    }
  }

  /** Removes the entry and all later ones. */
  void truncateFrom(long index) {
    for (long i = lastIndex(); i >= index; i--) {
      disk.remove(key(i));
      entries.remove(entries.size() - 1);
    }
    findReplicas();
  }

  /** Removes the entry and all earlier ones; durable when it returns. */
  void truncateTo(long index) {
    if (index <= base.index) {
      return;
    }
    Base next = baseAt(index);
    disk.put(prefix + "base", next);
    for (long i = base.index + 1; i <= index; i++) {
      disk.remove(key(i));
    }
    disk.syncNow();
    entries.subList(0, (int) (index - base.index)).clear();
    base = next;
  }

  /** The value of {@link #base} if everything up to the index were removed. */
  Base baseAt(long index) {
    ReplicaSet then = base.replicas;
    long lastData = base.lastData;
    for (long i = base.index + 1; i <= index; i++) {
      ReplicaSet changed = entry(i).replicas;
      then = changed == null ? then : changed;
      lastData = entry(i).data == null ? lastData : i;
    }
    return new Base(index, term(index), then, lastData);
  }

  /** Replaces the log after a snapshot; durable when it returns. */
  void reset(Base next) {
    disk.put(prefix + "base", next);
    for (long i = base.index + 1; i <= lastIndex(); i++) {
      disk.remove(key(i));
    }
    disk.syncNow();
    entries.clear();
    base = next;
    replicas = next.replicas;
  }

  private void findReplicas() {
    replicas = base.replicas;
    for (Entry entry : entries) {
      replicas = entry.replicas == null ? replicas : entry.replicas;
    }
  }

  private String key(long index) {
    String digits = Long.toString(index); // String.format would take a tenth of the simulations
    return prefix + "log/" + "0".repeat(MAX_DIGITS - digits.length()) + digits;
  }
}
