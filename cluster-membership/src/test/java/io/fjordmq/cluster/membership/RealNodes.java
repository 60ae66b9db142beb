package io.fjordmq.cluster.membership;

import static org.assertj.core.api.Assertions.fail;

import io.fjordmq.cluster.DataDirectory;
import io.fjordmq.cluster.FreePorts;
import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.consensus.ClusterPort;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.ConsensusSettings;
import io.fjordmq.cluster.consensus.JRaftHost;
import io.fjordmq.cluster.consensus.TransportSettings;
import io.fjordmq.cluster.metadata.MetadataFile;
import io.fjordmq.cluster.metadata.MetadataSettings;
import io.fjordmq.cluster.peer.PeerChannels;
import io.fjordmq.cluster.peer.PeerPort;
import io.fjordmq.cluster.peer.PeerSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Whole nodes of a cluster in one JVM, with real ports, logs and Raft, without what is above. */
final class RealNodes implements AutoCloseable {
  private static final String HOST = InetAddress.getLoopbackAddress().getHostAddress();
  private static final ConsensusSettings RAFT =
      ConsensusSettings.DEFAULT.withElectionTimeout(Duration.ofSeconds(1));

  private final Path folder;
  private final Map<String, NodeAddress> addresses = new HashMap<>();
  private final List<RealNode> running = Collections.synchronizedList(new ArrayList<>());
  private final ExecutorService starters = Executors.newCachedThreadPool();

  RealNodes(Path folder) {
    this.folder = folder;
  }

  /** A running node. */
  record RealNode(
      NodeIdentity identity,
      DataDirectory directory,
      ExecutorService disk,
      PeerPort port,
      JRaftHost host,
      ClusterMembership membership)
      implements AutoCloseable {

    NodeId id() {
      return identity.node();
    }

    @Override
    public void close() {
      membership.close();
      host.close();
      port.close();
      disk.shutdown();
      try {
        directory.close();
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }

  NodeAddress freeAddress() {
    return new NodeAddress(HOST, FreePorts.forCluster());
  }

  /** Where the node of that name is, or will be when it is next started. */
  NodeAddress addressOf(String name) throws IOException {
    NodeAddress address = addresses.get(name);
    if (address == null) {
      address = freeAddress();
      addresses.put(name, address);
    }
    return address;
  }

  /** From its next start on the node is somewhere else. */
  void move(String name) throws IOException {
    addresses.put(name, freeAddress());
  }

  JoinSettings bootstrap(String name, String... seeds) throws IOException {
    return JoinSettings.of(true, addressOf(name), seeds(seeds));
  }

  JoinSettings join(String name, String... seeds) throws IOException {
    return JoinSettings.of(false, addressOf(name), seeds(seeds));
  }

  private List<NodeAddress> seeds(String... names) throws IOException {
    List<NodeAddress> seeds = new ArrayList<>();
    for (String name : names) {
      seeds.add(addressOf(name));
    }
    return seeds;
  }

  RealNode start(String name, JoinSettings settings) throws Exception {
    return start(name, settings, InstantSource.system());
  }

  /** What the node of that name keeps. */
  Path directoryOf(String name) {
    return folder.resolve(name);
  }

  /** Starts it in the order that {@link ClusterMembership} gives; blocks until it is registered. */
  RealNode start(String name, JoinSettings settings, InstantSource clock) throws Exception {
    List<AutoCloseable> parts = new ArrayList<>();
    try {
      DataDirectory directory = DataDirectory.open(folder.resolve(name));
      parts.add(directory);
      NodeIdentity identity;
      try (PeerChannels channels = PeerChannels.open(PeerSettings.DEFAULT, null)) {
        identity = new Joining(settings, channels, clock).identify(directory, new SecureRandom());
      }
      ExecutorService disk = Executors.newSingleThreadExecutor();
      parts.add(disk::shutdown);
      NodeAddresses book = NodeAddresses.open(directory.resolve("addresses"), disk);
      NodeAddress own = settings.address();
      StartFence fence = StartFence.open(directory, identity.node(), new SecureRandom(), disk);
      PeerPort port =
          PeerPort.open(
              identity,
              new InetSocketAddress(own.host(), own.port()),
              book.ofPeers(),
              null,
              PeerSettings.DEFAULT,
              fence);
      parts.add(port);
      new StartCheck(identity, settings, port, fence).ask(book);
      JRaftHost host =
          JRaftHost.open(
              identity.node(),
              directory.resolve("raft"),
              RAFT,
              ConsensusObserver.NONE,
              new ClusterPort(
                  new InetSocketAddress(own.host(), own.port() + 1),
                  book.ofRaft(),
                  TransportSettings.DEFAULT,
                  fence));
      parts.add(host);
      ClusterMembership membership =
          ClusterMembership.open(
              identity,
              host,
              new MetadataFile(directory.resolve("metadata")),
              MetadataSettings.DEFAULT,
              port,
              book,
              ClockFile.open(directory.resolve("clock"), disk),
              settings,
              MembershipSettings.DEFAULT,
              disk);
      membership.ready();
      RealNode node = new RealNode(identity, directory, disk, port, host, membership);
      running.add(node);
      return node;
    } catch (Exception e) {
      Collections.reverse(parts);
      for (AutoCloseable part : parts) {
        part.close();
      }
      throw e;
    }
  }

  CompletableFuture<RealNode> startLater(String name, JoinSettings settings) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return start(name, settings);
          } catch (Exception e) {
            throw new AssertionError(name + " does not start", e);
          }
        },
        starters);
  }

  void stop(RealNode node) {
    running.remove(node);
    node.close();
  }

  /** The node goes without a word, as far as that can be done inside one JVM. */
  void vanish(RealNode node) {
    running.remove(node);
    node.port().close();
    node.host().close();
    node.close();
  }

  void awaitAllServing() {
    for (RealNode node : List.copyOf(running)) {
      await(node.id() + " serves", node.membership()::isServing);
    }
  }

  static void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        fail("still not after 60 s: " + what);
      }
      LockSupport.parkNanos(5_000_000);
    }
  }

  @Override
  public void close() {
    starters.shutdownNow();
    List.copyOf(running).forEach(this::stop);
  }
}
