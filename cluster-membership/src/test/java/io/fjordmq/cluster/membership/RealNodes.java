package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.DataDirectory;
import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.SeedSource;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.SupportedLevels;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.ConsensusSettings;
import io.fjordmq.cluster.consensus.RaftPortConfig;
import io.fjordmq.cluster.consensus.TransportSettings;
import io.fjordmq.cluster.consensus.jraft.JRaftHost;
import io.fjordmq.cluster.metadata.MetadataFile;
import io.fjordmq.cluster.metadata.MetadataSettings;
import io.fjordmq.cluster.peer.PeerChannels;
import io.fjordmq.cluster.peer.PeerPort;
import io.fjordmq.cluster.peer.PeerSettings;
import io.fjordmq.testing.Await;
import io.fjordmq.testing.FreePorts;
import io.fjordmq.testing.RecordBuilder;
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

/**
 * Nodes of a cluster in one JVM, with real ports, logs and Raft, but without the layers above
 * membership.
 */
final class RealNodes implements AutoCloseable {
  private static final String HOST = InetAddress.getLoopbackAddress().getHostAddress();

  // Shorter than the defaults, because most of a test is waiting for one of these.
  private static final ConsensusSettings RAFT =
      ConsensusSettings.DEFAULT.withElectionTimeout(Duration.ofMillis(400));
  private static final MembershipSettings LEASES =
      RecordBuilder.from(MembershipSettings.DEFAULT)
          .with(MembershipSettings::heartbeat, Duration.ofMillis(100))
          .with(MembershipSettings::lease, Duration.ofMillis(1_500))
          .with(MembershipSettings::maxLag, Duration.ofSeconds(20))
          .with(MembershipSettings::retryInterval, Duration.ofMillis(100))
          .with(MembershipSettings::clockTolerance, Duration.ofSeconds(1))
          .with(MembershipSettings::maxClockAdvance, Duration.ofHours(1))
          .with(MembershipSettings::unreachableAfter, Duration.ofSeconds(3))
          .build();
  private static final Duration HELLO_INTERVAL = Duration.ofMillis(100);

  private final Path folder;
  private final Map<String, NodeAddress> addresses = new HashMap<>();
  private final List<RealNode> runningNodes = Collections.synchronizedList(new ArrayList<>());
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

  /** The address of the node now, or after its next start. */
  NodeAddress addressOf(String name) throws IOException {
    NodeAddress address = addresses.get(name);
    if (address == null) {
      address = freeAddress();
      addresses.put(name, address);
    }
    return address;
  }

  /** Changes the address of the node from its next start on. */
  void changeAddress(String name) throws IOException {
    addresses.put(name, freeAddress());
  }

  private static JoinOptions options(
      boolean bootstrap, NodeAddress address, List<NodeAddress> seeds) {
    JoinSettings defaults = JoinSettings.DEFAULTS;
    JoinSettings settings =
        new JoinSettings(
            defaults.helloTimeout(),
            HELLO_INTERVAL,
            defaults.clockWarningThreshold(),
            defaults.maxClockDifference());
    return new JoinOptions(
        bootstrap ? JoinOptions.Creation.BOOTSTRAP : JoinOptions.Creation.NONE,
        "Test",
        address,
        SeedSource.fixed(seeds),
        settings,
        SupportedLevels.FIRST_ONLY);
  }

  JoinOptions bootstrap(String name, String... seeds) throws IOException {
    return options(true, addressOf(name), seeds(seeds));
  }

  JoinOptions join(String name, String... seeds) throws IOException {
    return options(false, addressOf(name), seeds(seeds));
  }

  private List<NodeAddress> seeds(String... names) throws IOException {
    List<NodeAddress> seeds = new ArrayList<>();
    for (String name : names) {
      seeds.add(addressOf(name));
    }
    return seeds;
  }

  RealNode start(String name, JoinOptions settings) throws Exception {
    return start(name, settings, InstantSource.system());
  }

  /** The data directory of the node. */
  Path directoryOf(String name) {
    return folder.resolve(name);
  }

  /**
   * Starts the node in the order that {@link ClusterMembership} documents; blocks until it is
   * registered.
   */
  RealNode start(String name, JoinOptions settings, InstantSource clock) throws Exception {
    List<AutoCloseable> parts = new ArrayList<>();
    try {
      DataDirectory directory = DataDirectory.open(folder.resolve(name));
      parts.add(directory);
      NodeIdentity identity;
      try (PeerChannels channels = PeerChannels.open(PeerSettings.DEFAULT, null)) {
        identity =
            new ClusterJoin(settings, channels, clock).identify(directory, new SecureRandom());
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
              book.peerAddressBook(),
              null,
              PeerSettings.DEFAULT,
              fence);
      parts.add(port);
      new StartCheck(identity, settings, port, fence).probeNodes(book);
      JRaftHost host =
          JRaftHost.open(
              identity.node(),
              directory.resolve("raft"),
              RAFT,
              ConsensusObserver.NONE,
              new RaftPortConfig(
                  new InetSocketAddress(own.host(), own.port() + 1),
                  book.raftAddressBook(),
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
              LEASES,
              disk);
      membership.markReady();
      RealNode node = new RealNode(identity, directory, disk, port, host, membership);
      runningNodes.add(node);
      return node;
    } catch (Exception e) {
      Collections.reverse(parts);
      for (AutoCloseable part : parts) {
        part.close();
      }
      throw e;
    }
  }

  CompletableFuture<RealNode> startLater(String name, JoinOptions settings) {
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
    runningNodes.remove(node);
    node.close();
  }

  /** Stops the node without notice, as far as that is possible inside one JVM. */
  void crash(RealNode node) {
    runningNodes.remove(node);
    node.port().close();
    node.host().close();
    node.close();
  }

  void awaitAllServing() {
    for (RealNode node : List.copyOf(runningNodes)) {
      Await.until(node.id() + " serves", node.membership()::isServing);
    }
  }

  @Override
  public void close() {
    starters.shutdownNow();
    List.copyOf(runningNodes).forEach(this::stop);
  }
}
