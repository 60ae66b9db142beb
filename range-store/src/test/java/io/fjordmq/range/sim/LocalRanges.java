package io.fjordmq.range.sim;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SoloConsensus;
import io.fjordmq.common.ManualTimers;
import io.fjordmq.range.RangeClient;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.client.RangeClientSettings;
import io.fjordmq.range.client.RoutedRangeClient;
import io.fjordmq.range.kv.KvException;
import io.fjordmq.range.kv.SimKv;
import io.fjordmq.range.store.RangeRuntime;
import io.fjordmq.range.store.RangeStore;
import io.fjordmq.range.store.RangeStoreSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Stores on the real range engine in one process, without threads, network or disk: a future that a
 * {@link RangeClient} returns is complete when the call returns (unless the replica is halted).
 * Time does not pass unless {@link #advance} is called.
 *
 * <pre>{@code
 * try (LocalRanges ranges = LocalRanges.of(spec)) {
 *   byte[] answer = ranges.client("inbox").mutate(key, command).join();
 *   ranges.crash();
 *   assertThat(ranges.client("inbox").query(key, query).join())...
 * }
 * }</pre>
 */
public final class LocalRanges implements AutoCloseable {
  private static final NodeId SELF = new NodeId("local");

  private final List<StoreSpec> specs;
  private final ManualTimers timers = new ManualTimers();
  private final SimKv.Disk disk = new SimKv.Disk();
  private final Map<GroupId, SoloConsensus.Log> logs = new LinkedHashMap<>();
  private final Map<String, RoutedRangeClient> clients = new LinkedHashMap<>();
  private SimKv kv;
  private SoloConsensus host;
  private RangeStore store;

  private final boolean untruncated;

  private LocalRanges(List<StoreSpec> specs, boolean untruncated) {
    this.specs = specs;
    this.untruncated = untruncated;
    this.kv = new SimKv(disk, Runnable::run);
    this.host = SoloConsensus.withLogs(SELF, logs, untruncated);
    this.store = open();
  }

  /** Creates the initial ranges of the stores and opens them. */
  public static LocalRanges of(StoreSpec... specs) {
    return new LocalRanges(List.of(specs), false);
  }

  /** Same, with logs that start with entry 1, like those of an earlier version. */
  public static LocalRanges ofEarlierVersion(StoreSpec... specs) {
    return new LocalRanges(List.of(specs), true);
  }

  private RangeStore open() {
    RangeRuntime runtime =
        new RangeRuntime(timers, timers, Runnable::run, Runnable::run, Runnable::run);
    Path neverUsed = Path.of(System.getProperty("java.io.tmpdir"), "never-used");
    try {
      RangeStore opened =
          RangeStore.open(
              SELF,
              host,
              kv,
              specs,
              neverUsed,
              RangeStoreSettings.DEFAULTS,
              runtime,
              RangeObserver.NONE);
      for (StoreSpec spec : specs) {
        opened.createInitialRanges(spec.initialRanges(ReplicaSet.ofVoters(SELF)));
        clients.put(
            spec.name(),
            new RoutedRangeClient(
                spec.name(),
                opened.descriptors(spec.name()),
                opened.transport(),
                timers,
                RangeClientSettings.DEFAULTS,
                RangeObserver.NONE));
      }
      return opened;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the client of a store; a different one after {@link #restart} and {@link #crash}. */
  public RangeClient client(String store) {
    RoutedRangeClient client = clients.get(store);
    if (client == null) {
      throw new IllegalArgumentException("no store " + store);
    }
    return client;
  }

  public RangeStore store() {
    return store;
  }

  /** The timers of this node, also for other components under test. */
  public ManualTimers timers() {
    return timers;
  }

  /** The time that leaders stamp into entries, in milliseconds since the epoch. */
  public long nowMillis() {
    return timers.millis();
  }

  public void advance(Duration time) {
    timers.advance(time);
  }

  /** Makes everything applied so far durable. */
  public void checkpoint() {
    store.checkpoint().join();
  }

  /** Makes writes to the state fail with this exception; null makes them succeed again. */
  public void failDisk(@Nullable KvException failure) {
    disk.failWith(failure);
  }

  /** Every range loses its leader and elects a new one. */
  public void reelect() {
    host.reelect();
  }

  /** Stops cleanly and starts again. */
  public void restart() {
    stop();
    kv.close();
    start();
  }

  /**
   * Crashes without a flush and starts again: entries applied since the last flush are applied
   * again from the log.
   */
  public void crash() {
    stop();
    kv.kill();
    disk.crash(unflushed -> 0);
    start();
  }

  private void stop() {
    clients.values().forEach(RoutedRangeClient::close);
    store.close();
    host.close();
    timers.clear();
  }

  private void start() {
    kv = new SimKv(disk, Runnable::run);
    host = SoloConsensus.withLogs(SELF, logs, untruncated);
    store = open();
  }

  @Override
  public void close() {
    stop();
    kv.close();
  }
}
