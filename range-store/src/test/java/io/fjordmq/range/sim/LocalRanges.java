package io.fjordmq.range.sim;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.ReplicaSet;
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
 * Time stands still unless {@link #advance} is called.
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

  private final boolean uncut;

  private LocalRanges(List<StoreSpec> specs, boolean uncut) {
    this.specs = specs;
    this.uncut = uncut;
    this.kv = new SimKv(disk, Runnable::run);
    this.host = new SoloConsensus(SELF, logs, uncut);
    this.store = open();
  }

  /** Creates the stores' initial ranges and opens them. */
  public static LocalRanges of(StoreSpec... specs) {
    return new LocalRanges(List.of(specs), false);
  }

  /** The same with logs that say that they begin with entry 1, as those of an earlier version. */
  public static LocalRanges ofEarlierVersion(StoreSpec... specs) {
    return new LocalRanges(List.of(specs), true);
  }

  private RangeStore open() {
    RangeRuntime runtime =
        new RangeRuntime(timers, timers, Runnable::run, Runnable::run, Runnable::run);
    RangeStoreSettings settings =
        RangeStoreSettings.defaults(Path.of(System.getProperty("java.io.tmpdir"), "never-used"));
    try {
      RangeStore opened =
          RangeStore.open(SELF, host, kv, specs, settings, runtime, RangeObserver.NONE);
      for (StoreSpec spec : specs) {
        opened.createInitialRanges(RangeStore.initialRanges(spec, ReplicaSet.ofVoters(SELF)));
        clients.put(
            spec.name(),
            new RoutedRangeClient(
                spec.name(),
                opened.descriptors(spec.name()),
                opened,
                timers,
                RangeClientSettings.DEFAULTS,
                RangeObserver.NONE));
      }
      return opened;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The client of a store; another one after {@link #restart} and {@link #crash}. */
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

  /** Time for components under test that need some, too. */
  public ManualTimers timers() {
    return timers;
  }

  /** What leaders stamp into entries, milliseconds since the epoch. */
  public long nowMillis() {
    return timers.millis();
  }

  public void advance(Duration time) {
    timers.advance(time);
  }

  /** Makes everything applied durable. */
  public void checkpoint() {
    store.checkpoint().join();
  }

  /** Writes to the state fail with this from now on; null lets them work again. */
  public void failDisk(@Nullable KvException failure) {
    disk.failWith(failure);
  }

  /** Leadership of every range is lost and won again. */
  public void reelect() {
    host.reelect();
  }

  /** Stops cleanly and starts again. */
  public void restart() {
    stop();
    kv.close();
    start();
  }

  /** Dies without a flush and starts again: what was applied since comes back from the log. */
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
    host = new SoloConsensus(SELF, logs, uncut);
    store = open();
  }

  @Override
  public void close() {
    stop();
    kv.close();
  }
}
