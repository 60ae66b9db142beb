package io.fjordmq.broker;

import io.fjordmq.broker.backup.Restore;
import io.fjordmq.broker.cluster.ClusterNode;
import io.fjordmq.broker.cluster.InitialContents;
import io.fjordmq.broker.config.BrokerConfig;
import io.fjordmq.broker.lifecycle.ShutdownSequence;
import io.fjordmq.broker.lifecycle.StartException;
import io.fjordmq.broker.limits.MemoryLimits;
import io.fjordmq.broker.recovery.RecoveryFile;
import io.fjordmq.cluster.DataDirectory;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.range.kv.KvException;
import io.fjordmq.range.kv.RocksKv;
import io.fjordmq.range.kv.RocksLibrary;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/** The first stage of a node: its data directory, its identity and the state database. */
final class Storage implements ShutdownSequence.Composite {
  private final ShutdownSequence shutdownSequence = new ShutdownSequence();
  private final DataDirectory directory;
  private final InitialContents firstContents;
  private final NodeIdentity identity;
  private final RocksKv kv;

  /**
   * Opens the data directory and the state database. Blocks; the first start blocks until this node
   * has a cluster.
   *
   * @param progress receives a description for operators of what the node waits for
   * @throws StartException if this node cannot become a cluster member with its configuration
   */
  static Storage open(BrokerConfig config, Consumer<String> progress)
      throws StartException, IOException, KvException {
    return new Storage(config, progress);
  }

  private Storage(BrokerConfig config, Consumer<String> progress)
      throws StartException, IOException, KvException {
    try {
      directory =
          shutdownSequence.add("data directory", DataDirectory.open(Path.of(config.dataDir())));
      RecoveryFile.requireNone(directory);
      firstContents = Restore.requestedIn(directory);
      identity = ClusterNode.identify(config, directory, progress);
      RocksLibrary.load(directory.resolve("native"));
      kv =
          shutdownSequence.add(
              "state storage",
              RocksKv.open(
                  directory.resolve("state"),
                  config.storageConfig().sizedFor(MemoryLimits.ofProcess().databases())));
    } catch (StartException | IOException | RuntimeException e) {
      shutdownSequence.close();
      throw e;
    }
  }

  DataDirectory directory() {
    return directory;
  }

  /** What this node creates a cluster with, if it does. */
  InitialContents firstContents() {
    return firstContents;
  }

  NodeIdentity identity() {
    return identity;
  }

  /** The database that stores the state of all range replicas on this node. */
  RocksKv kv() {
    return kv;
  }

  @Override
  public List<String> unclosedComponents() {
    return shutdownSequence.unclosedComponents();
  }

  @Override
  public void close() {
    shutdownSequence.close();
  }
}
