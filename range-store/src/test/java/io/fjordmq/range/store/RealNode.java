package io.fjordmq.range.store;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.ConsensusSettings;
import io.fjordmq.cluster.consensus.JRaftHost;
import io.fjordmq.cluster.consensus.ReplicaSet;
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
import java.util.List;
import java.util.stream.Stream;

/** One node on sofa-jraft and RocksDB, in a directory. */
final class RealNode implements AutoCloseable {
  static final NodeId SELF = new NodeId("real");

  private final RangeThreads threads = new RangeThreads(2, 100);
  private final RocksKv kv;
  private final JRaftHost host;
  final RangeStore store;
  final RoutedRangeClient client;

  RealNode(Path directory, StoreSpec spec) throws IOException, ConsensusException {
    kv = RocksKv.open(directory.resolve("state"), RocksKvSettings.DEFAULTS);
    host =
        JRaftHost.open(
            SELF, directory.resolve("log"), ConsensusSettings.DEFAULT, new ConsensusObserver() {});
    store =
        RangeStore.open(
            SELF,
            host,
            kv,
            List.of(spec),
            RangeStoreSettings.defaults(directory.resolve("installs")),
            threads.runtime(InstantSource.system()),
            RangeObserver.NONE);
    store.createInitialRanges(RangeStore.initialRanges(spec, ReplicaSet.ofVoters(SELF)));
    client =
        new RoutedRangeClient(
            spec.name(),
            store.descriptors(spec.name()),
            store,
            threads.timers(),
            RangeClientSettings.DEFAULTS,
            RangeObserver.NONE);
  }

  /** What a process that is killed now leaves behind. */
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
