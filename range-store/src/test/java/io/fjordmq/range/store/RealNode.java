package io.fjordmq.range.store;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.ConsensusSettings;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.jraft.JRaftHost;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.client.RangeClientSettings;
import io.fjordmq.range.client.RoutedRangeClient;
import io.fjordmq.range.kv.RocksKv;
import io.fjordmq.range.kv.RocksKvSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A single node on sofa-jraft and RocksDB, in a directory. */
final class RealNode implements AutoCloseable {
  static final NodeId SELF = new NodeId("real");

  private final RangeThreads threads = new RangeThreads(2, 100);
  private final RocksKv kv;
  private final JRaftHost host;
  final RangeStore store;
  final RoutedRangeClient client;

  RealNode(Path directory, StoreSpec spec) throws IOException {
    this(directory, spec, null, null);
  }

  /**
   * Also has a store whose only range begins with the rows of a file.
   *
   * @param loaded null for no such store
   * @param rows null for no such store
   */
  RealNode(Path directory, StoreSpec spec, @Nullable StoreSpec loaded, @Nullable Path rows)
      throws IOException {
    Files.createDirectories(directory);
    kv = RocksKv.open(directory.resolve("state"), RocksKvSettings.DEFAULTS);
    host =
        JRaftHost.open(
            SELF, directory.resolve("log"), ConsensusSettings.DEFAULT, new ConsensusObserver() {});
    store =
        RangeStore.open(
            SELF,
            host,
            kv,
            loaded == null ? List.of(spec) : List.of(spec, loaded),
            directory.resolve("installs"),
            RangeStoreSettings.DEFAULTS,
            threads.runtime(InstantSource.system()),
            RangeObserver.NONE);
    store.createInitialRanges(spec.initialRanges(ReplicaSet.ofVoters(SELF)));
    if (loaded != null && rows != null) {
      load(loaded, rows);
    }
    client =
        new RoutedRangeClient(
            spec.name(),
            awaitCompleteRanges(spec.name()),
            store.transport(),
            threads.timers(),
            RangeClientSettings.DEFAULTS,
            RangeObserver.NONE);
  }

  private void load(StoreSpec loaded, Path rows) throws IOException {
    RowLoader loader = store.loader(loaded.name());
    RowFile.read(rows, loader::put);
    loader.finish();
    store.createInitialRanges(
        loaded.initialRanges(ReplicaSet.ofVoters(SELF)).stream()
            .map(
                range ->
                    new RangeDescriptor(
                        range.id(), range.interval(), new RangeEpoch(50, 1), range.replicas()))
            .toList());
  }

  /**
   * Waits until the ranges cover every key: when a split is applied again at startup, the parent
   * becomes narrower some milliseconds before the new range opens. Clients in a cluster start from
   * the published ranges, which have no such gaps.
   */
  private List<RangeDescriptor> awaitCompleteRanges(String storeName) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (System.nanoTime() < deadline) {
      List<RangeDescriptor> ranges = store.descriptors(storeName);
      byte[] reached = {};
      for (RangeDescriptor range : ranges) {
        byte[] end = range.interval().end();
        if (!Arrays.equals(range.interval().start(), reached)) {
          break;
        }
        if (end == null) {
          return ranges;
        }
        reached = end;
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
    throw new IllegalStateException("a key has no range: " + store.descriptors(storeName));
  }

  /** Copies the files that a process killed now would leave behind. */
  static void copyFiles(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Path target = to.resolve(from.relativize(file));
        if (Files.isDirectory(file)) {
          Files.createDirectories(target);
        } else if (!file.getFileName().toString().equals("LOCK")) {
          Files.copy(file, target);
        }
      }
    }
  }

  @Override
  public void close() {
    client.close();
    store.close();
    host.close();
    kv.close();
    threads.close();
  }
}
