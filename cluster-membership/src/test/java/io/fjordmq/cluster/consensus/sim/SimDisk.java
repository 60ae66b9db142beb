package io.fjordmq.cluster.consensus.sim;

import io.fjordmq.testing.Simulation;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The disk of a node: ordered keys with immutable values. A crash loses the unsynced writes, except
 * for a random prefix in write order. Outlives the processes that use it.
 */
public final class SimDisk {
  private static final long MAX_SYNC_MILLIS = 6;

  private final Simulation simulation;
  private final NavigableMap<String, Object> content = new TreeMap<>();
  private final NavigableMap<String, Object> durable = new TreeMap<>();
  private final Deque<Write> unsynced = new ArrayDeque<>();
  private long writeCount;
  private long syncedCount;
  private boolean failing;
  private boolean losingSyncs;

  public SimDisk(Simulation simulation) {
    this.simulation = simulation;
  }

  private record Write(String key, @Nullable Object value) {}

  public @Nullable Object get(String key) {
    return content.get(key);
  }

  /** Returns the entries whose keys begin with the prefix, in order. */
  public NavigableMap<String, Object> entriesWithPrefix(String prefix) {
    return new TreeMap<>(content.subMap(prefix, true, prefix + '\uffff', false));
  }

  /**
   * Writes without syncing.
   *
   * @throws UncheckedIOException while the disk fails
   */
  public void put(String key, Object value) {
    write(new Write(key, value));
  }

  /**
   * Removes without syncing.
   *
   * @throws UncheckedIOException while the disk fails
   */
  public void remove(String key) {
    write(new Write(key, null));
  }

  /** Makes everything written so far durable, then calls back if the process is still alive. */
  public void sync(SimProcess process, Runnable done) {
    long upTo = writeCount;
    long delay = upTo == syncedCount ? 0 : simulation.between(0, MAX_SYNC_MILLIS);
    process.schedule(
        delay,
        () -> {
          if (!losingSyncs) {
            makeDurable(upTo);
          }
          done.run();
        });
  }

  /** Makes everything written so far durable before it returns. */
  public void syncNow() {
    makeDurable(writeCount);
  }

  /** Makes writes fail (true) or succeed again (false). */
  public void setFailing(boolean failing) {
    this.failing = failing;
  }

  /**
   * Makes {@link #sync} call back without making anything durable: a defect for tests that must
   * detect it.
   */
  public void setLosingSyncs(boolean lose) {
    this.losingSyncs = lose;
  }

  /** Simulates a power failure: some unsynced writes are lost. */
  void crash() {
    makeDurable(syncedCount + simulation.between(0, unsynced.size()));
    unsynced.clear();
    syncedCount = writeCount;
    content.clear();
    content.putAll(durable);
  }

  private void write(Write write) {
    if (failing) {
      throw new UncheckedIOException(new java.io.IOException("simulated disk is full"));
    }
    unsynced.add(write);
    writeCount++;
    apply(content, write);
  }

  private void makeDurable(long upTo) {
    while (syncedCount < upTo) {
      apply(durable, unsynced.remove());
      syncedCount++;
    }
  }

  private static void apply(NavigableMap<String, Object> target, Write write) {
    if (write.value == null) {
      target.remove(write.key);
    } else {
      target.put(write.key, write.value);
    }
  }
}
