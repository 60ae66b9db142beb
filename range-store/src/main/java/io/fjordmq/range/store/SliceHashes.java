package io.fjordmq.range.store;

import io.fjordmq.common.Timers;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.kv.KvException;
import io.fjordmq.range.kv.KvReader;
import io.fjordmq.range.kv.KvSnapshot;
import io.fjordmq.range.kv.KvSpace;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hashes slices of the replicas on this node (decision 0102), one after the other, in the
 * background and with a limited rate. Thread-safe.
 */
public final class SliceHashes implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SliceHashes.class);

  /**
   * Slices that may wait. Each holds a snapshot, which keeps overwritten rows on the disk; every
   * other node compares one slice at a time.
   */
  private static final int MAX_WAITING = 16;

  /** Hashes that are kept until the leaders ask for them. */
  private static final int MAX_HASHES = 256;

  /** Rows that are read at a time, without a pause. */
  private static final int PART_BYTES = 64 << 10;

  private final Map<RangeId, SupervisedReplica> replicas;
  private final long bytesPerSecond;
  private final Timers timers;
  private final Executor background;

  // Guarded by this.
  private final Deque<Task> waiting = new ArrayDeque<>();
  private final Map<RangeId, Finished> finished = new LinkedHashMap<>();
  private @Nullable Task current;

  /** Whether a part is being read, or will be after a pause. */
  private boolean reading;

  private boolean closed;

  private record Task(RangeId range, long index, SliceReader reader) {}

  private record Finished(long index, SliceHash hash) {}

  SliceHashes(
      Map<RangeId, SupervisedReplica> replicas,
      RangeStoreSettings settings,
      Timers timers,
      Executor background) {
    this.replicas = replicas;
    this.bytesPerSecond = settings.comparisonBytesPerSecond();
    this.timers = timers;
    this.background = background;
  }

  /**
   * Takes a snapshot of a replica's rows, and hashes a slice of it later. Must be called on the
   * replica's apply thread when the rows of the entry are written, those of later entries are not,
   * and the entry does not count as applied yet. Does nothing if too many slices are waiting. Never
   * throws because of the storage.
   *
   * @param range the range as of the entry
   */
  void begin(RangeDescriptor range, long index, RangeEntry.Compare slice, KvSpace space) {
    if (!hasRoom()) {
      LOG.debug("Skipped hashing a slice: too many are waiting range={}", range.id());
      return;
    }
    KvSnapshot rows;
    try {
      rows = space.uncachedSnapshot();
    } catch (KvException e) { // the next write to the disk reports it
      LOG.debug("Skipped hashing a slice: {} range={}", e.getMessage(), range.id());
      return;
    }
    try {
      if (!isWhole(range, rows)) {
        rows.close();
        return;
      }
      add(new Task(range.id(), index, new SliceReader(range, slice, rows)));
    } catch (KvException e) {
      rows.close();
    }
  }

  /** Returns whether the replica is not being replaced, removed or merged. */
  private static boolean isWhole(RangeDescriptor range, KvReader rows) {
    RangeKeys keys = new RangeKeys(range.id().number());
    return rows.get(keys.descriptor()) != null
        && rows.get(keys.removing()) == null
        && rows.get(keys.installing()) == null;
  }

  private synchronized boolean hasRoom() {
    return !closed && waiting.size() < MAX_WAITING;
  }

  private synchronized void add(Task task) {
    if (closed) {
      task.reader().close();
      return;
    }
    waiting.add(task);
    if (!reading) {
      reading = true;
      readLater();
    }
  }

  private void readLater() {
    try {
      background.execute(this::readPart);
    } catch (RejectedExecutionException e) {
      close(); // the node is stopping
    }
  }

  private void readPart() {
    Task task = nextTask();
    if (task == null) {
      return;
    }
    long bytes = 0;
    SliceHash hash = null;
    boolean failed = false;
    try {
      bytes = task.reader().readPart((int) Math.min(PART_BYTES, bytesPerSecond));
      hash = task.reader().result();
    } catch (RuntimeException e) {
      failed = true;
      onFailed(task, e);
    }
    if (hash != null || failed) {
      onFinished(task, hash);
    }
    timers.schedule(1 + bytes * 1_000 / bytesPerSecond, this::readLater);
  }

  /** Returns the slice to read; null if there is none. */
  private synchronized @Nullable Task nextTask() {
    if (current == null && !closed) {
      current = waiting.poll();
    } else if (current != null && closed) {
      current.reader().close();
      current = null;
    }
    reading = current != null;
    return current;
  }

  private synchronized void onFailed(Task task, RuntimeException failure) {
    if (!closed) {
      LOG.warn("Failed to hash a slice: {} range={}", failure.toString(), task.range());
    }
  }

  private synchronized void onFinished(Task task, @Nullable SliceHash hash) {
    current = null;
    task.reader().close();
    if (hash != null) {
      finished.remove(task.range());
      finished.put(task.range(), new Finished(task.index(), hash));
      if (finished.size() > MAX_HASHES) {
        finished.remove(finished.keySet().iterator().next());
      }
    }
  }

  /** Returns the hash that the replica of this node has computed at an index of its log. */
  public HashReport find(RangeId range, long index) {
    SupervisedReplica supervised = replicas.get(range);
    RangeReplica replica = supervised == null ? null : supervised.replica();
    // Read before the tasks, because a task is added before its entry counts as applied.
    boolean applied = replica != null && replica.appliedIndex() >= index;
    synchronized (this) {
      Finished found = finished.get(range);
      if (found != null && found.index() == index) {
        return new HashReport.Hashed(found.hash());
      }
      boolean isReading =
          is(current, range, index) || waiting.stream().anyMatch(task -> is(task, range, index));
      return isReading || (replica != null && !applied)
          ? new HashReport.Pending()
          : new HashReport.Missing();
    }
  }

  private static boolean is(@Nullable Task task, RangeId range, long index) {
    return task != null && task.range().equals(range) && task.index() == index;
  }

  /** Drops the slices that have not been read. */
  @Override
  public synchronized void close() {
    closed = true;
    waiting.forEach(task -> task.reader().close());
    waiting.clear();
  }
}
