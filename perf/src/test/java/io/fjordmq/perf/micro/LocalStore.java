package io.fjordmq.perf.micro;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SoloConsensus;
import io.fjordmq.common.Timers;
import io.fjordmq.perf.machine.RunDirectory;
import io.fjordmq.range.RangeClient;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.client.RangeClientSettings;
import io.fjordmq.range.client.RoutedRangeClient;
import io.fjordmq.range.kv.RocksKv;
import io.fjordmq.range.kv.RocksKvSettings;
import io.fjordmq.range.store.RangeRuntime;
import io.fjordmq.range.store.RangeStore;
import io.fjordmq.range.store.RangeStoreSettings;
import io.fjordmq.range.store.RangeThreads;
import io.fjordmq.testing.RecordBuilder;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;

/**
 * A store on the real range engine and RocksDB, in a directory that is deleted on close. Only the
 * log is missing ({@link SoloConsensus}).
 */
final class LocalStore implements AutoCloseable {
  static final NodeId SELF = new NodeId("micro");

  private static final int QUERY_THREADS = 1;
  private static final int MAX_WAITING_QUERIES = 100;
  private static final long IDLE_NANOS = 10_000;

  private final RunDirectory directory = RunDirectory.make();
  private final RangeThreads threads = new RangeThreads(QUERY_THREADS, MAX_WAITING_QUERIES);
  private final ConcurrentLinkedQueue<Runnable> pendingTasks = new ConcurrentLinkedQueue<>();
  private final RocksKv kv;
  private final RangeStore ranges;
  private final RoutedRangeClient client;

  private LocalStore(StoreSpec spec, boolean atOnce) throws IOException {
    kv = RocksKv.open(directory.path().resolve("state"), RocksKvSettings.DEFAULTS);
    Executor applying = atOnce ? Runnable::run : pendingTasks::add;
    RangeRuntime runtime = threads.runtime(InstantSource.system());
    ranges =
        RangeStore.open(
            SELF,
            SoloConsensus.withoutLogs(SELF, applying),
            kv,
            List.of(spec),
            directory.path().resolve("install"),
            RangeStoreSettings.DEFAULTS,
            runtime,
            RangeObserver.NONE);
    ranges.createInitialRanges(spec.initialRanges(ReplicaSet.ofVoters(SELF)));
    client =
        new RoutedRangeClient(
            spec.name(),
            ranges.descriptors(spec.name()),
            ranges.transport(),
            runtime.timers(),
            withoutPauses(RangeClientSettings.DEFAULTS),
            RangeObserver.NONE);
  }

  /** A store that applies each command within the call that sends it, in its own batch. */
  static LocalStore applyingImmediately(StoreSpec spec) throws IOException {
    return new LocalStore(spec, true);
  }

  /**
   * A store whose commands are applied by {@link #await}, in the batches that have formed until
   * then, as on a busy node.
   */
  static LocalStore applyingInBatches(StoreSpec spec) throws IOException {
    return new LocalStore(spec, false);
  }

  /**
   * The pause between batches makes batches larger at the cost of latency, which is measured here.
   */
  private static RangeClientSettings withoutPauses(RangeClientSettings defaults) {
    return RecordBuilder.from(defaults)
        .with(RangeClientSettings::batchInterval, Duration.ZERO)
        .build();
  }

  RangeClient client() {
    return client;
  }

  RangeStore ranges() {
    return ranges;
  }

  Timers timers() {
    return threads.timers();
  }

  /**
   * Applies pending commands until the calls have completed.
   *
   * @throws java.util.concurrent.CompletionException if a call failed
   */
  void await(Collection<? extends CompletableFuture<?>> calls) {
    for (CompletableFuture<?> call : calls) {
      while (!call.isDone()) {
        Runnable next = pendingTasks.poll();
        if (next != null) {
          next.run();
        } else {
          LockSupport.parkNanos(IDLE_NANOS); // a timer still has to send it
        }
      }
      call.join();
    }
  }

  @Override
  public void close() throws IOException {
    client.close();
    ranges.close();
    kv.close();
    threads.close();
    directory.delete();
  }
}
