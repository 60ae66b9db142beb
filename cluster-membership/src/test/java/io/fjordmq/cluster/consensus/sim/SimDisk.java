package io.fjordmq.cluster.consensus.sim;

import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A node's disk: ordered keys with immutable values. What was not synced when the node crashes is
 * lost, except for a random prefix of it in the order it was written. Survives the processes that
 * use it.
 */
public final class SimDisk {
  private static final long MAX_SYNC_MILLIS = 6;

  private final Simulation simulation;
  private final NavigableMap<String, Object> content = new TreeMap<>();
  private final NavigableMap<String, Object> durable = new TreeMap<>();
  private final Deque<Write> unsynced = new ArrayDeque<>();
  private long written;
  private long synced;
  private boolean failing;
  private boolean losingSyncs;

  public SimDisk(Simulation simulation) {
    this.simulation = simulation;
  }

  private record Write(String key, @Nullable Object value) {}

  public @Nullable Object get(String key) {
    return content.get(key);
  }

  /** Everything whose key begins with the prefix, in order. */
  public NavigableMap<String, Object> withPrefix(String prefix) {
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

  /** Makes everything written until now durable, then calls back, if the process still lives. */
  public void sync(SimProcess process, Runnable done) {
    long upTo = written;
    long delay = upTo == synced ? 0 : simulation.between(0, MAX_SYNC_MILLIS);
    process.schedule(
        delay,
        () -> {
          if (!losingSyncs) {
            makeDurable(upTo);
          }
          done.run();
        });
  }

  /** Makes everything written until now durable before it returns. */
  public void syncNow() {
    makeDurable(written);
  }

  /** From now on writes fail (true), or work again (false). */
  public void setFailing(boolean failing) {
    this.failing = failing;
  }

  /**
   * From now on {@link #sync} calls back although nothing is durable: a defect to be planted in
   * tests of what must notice it.
   */
  public void loseSyncs(boolean lose) {
    this.losingSyncs = lose;
  }

  /** The power goes: some of what was not synced is lost. */
  void crash() {
    makeDurable(synced + simulation.between(0, unsynced.size()));
    unsynced.clear();
    synced = written;
    content.clear();
    content.putAll(durable);
  }

  private void write(Write write) {
    if (failing) {
      throw new UncheckedIOException(new java.io.IOException("simulated disk is full"));
    }
    unsynced.add(write);
    written++;
    apply(content, write);
  }

  private void makeDurable(long upTo) {
    while (synced < upTo) {
      apply(durable, unsynced.remove());
      synced++;
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
