package io.fjordmq.broker.cluster;

import io.fjordmq.broker.config.BrokerConfig;
import io.fjordmq.broker.lifecycle.ShutdownSequence;
import io.fjordmq.broker.lifecycle.StartException;
import io.fjordmq.broker.limits.MemoryLimits;
import io.fjordmq.cluster.DataDirectory;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.SupportedLevels;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.ConsensusSettings;
import io.fjordmq.cluster.consensus.RaftPortConfig;
import io.fjordmq.cluster.consensus.jraft.JRaftHost;
import io.fjordmq.cluster.forming.FormationOptions;
import io.fjordmq.cluster.forming.FormationRun;
import io.fjordmq.cluster.forming.FormingFile;
import io.fjordmq.cluster.membership.ClockFile;
import io.fjordmq.cluster.membership.ClusterJoin;
import io.fjordmq.cluster.membership.ClusterMembership;
import io.fjordmq.cluster.membership.JoinOptions;
import io.fjordmq.cluster.membership.MembershipException;
import io.fjordmq.cluster.membership.NodeAddresses;
import io.fjordmq.cluster.membership.StartCheck;
import io.fjordmq.cluster.metadata.MetadataFile;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.peer.PeerChannels;
import io.fjordmq.cluster.peer.PeerPort;
import io.fjordmq.cluster.tls.ClusterTls;
import java.io.IOException;
import java.nio.file.Files;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node as a member of its cluster: its identity, cluster ports, Raft groups and membership.
 * The thread that starts the node builds it and blocks until the node is a member. Components are
 * closed in reverse order.
 */
public final class ClusterNode implements ShutdownSequence.Composite {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterNode.class);

  /**
   * The interval at which the start counter is incremented. A copy of the data directory that was
   * made after the last increment is not detected.
   */
  private static final long COUNTER_INCREMENT_SECONDS = 60;

  private static final long POLL_NANOS = 1_000_000;
  private static final long LOG_INTERVAL_NANOS = 10_000_000_000L;

  private final ShutdownSequence shutdownSequence = new ShutdownSequence();
  private final NodeIdentity identity;
  private final PeerPort peers;
  private final JRaftHost host;
  private final ClusterMembership membership;
  private final Suspensions suspensions;

  /**
   * Loads the identity from the data directory. On the first start, creates an identity for a new
   * cluster, or for the cluster of other nodes after waiting for them.
   *
   * @param progress receives a description for operators of what the node waits for
   * @throws StartException if this node cannot become a member with its configuration; the message
   *     says what to do
   */
  public static NodeIdentity identify(
      BrokerConfig config, DataDirectory directory, Consumer<String> progress)
      throws StartException, IOException {
    Optional<NodeIdentity> stored = NodeIdentity.load(directory);
    if (stored.isPresent()) {
      return stored.get();
    }
    ClusterAddresses addresses = ClusterAddresses.of(config.clusterConfig());
    FormingFile file = new FormingFile(directory);
    SecureRandom random = new SecureRandom();
    try (PeerChannels channels =
        PeerChannels.open(config.peerConfig(), config.clusterConfig().tls())) {
      ClusterJoin join =
          new ClusterJoin(
              join(config, addresses, creation(config, directory)),
              channels,
              InstantSource.system());
      if (isRestoring(directory)) {
        return join.identify(directory, random);
      } else if (config.expectNodes() > 0) {
        FormationRun run = formation(config, addresses, channels, random);
        return join.identify(directory, run.await(file, progress));
      } else if (!config.bootstrap() && isAlone(config, addresses)) {
        return join.identify(directory, file.foundAlone(random));
      }
      return join.identify(directory, random);
    } catch (MembershipException e) {
      throw new StartException(String.valueOf(e.getMessage()), e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /** Whether this node has no seeds, and no other node can reach it. */
  private static boolean isAlone(BrokerConfig config, ClusterAddresses addresses) {
    return !config.clusterConfig().hasSeeds() && !addresses.isOpenToOthers();
  }

  private static JoinOptions.Creation creation(BrokerConfig config, DataDirectory directory) {
    return config.bootstrap() || isRestoring(directory)
        ? JoinOptions.Creation.BOOTSTRAP
        : JoinOptions.Creation.NONE;
  }

  /**
   * Whether an operator has requested to restore a backup, which makes a new cluster, whatever the
   * configuration says about the first start.
   */
  private static boolean isRestoring(DataDirectory directory) {
    return Files.exists(directory.resolve(NodeIdentity.RESTORE_FILE));
  }

  private static FormationRun formation(
      BrokerConfig config, ClusterAddresses addresses, PeerChannels channels, SecureRandom random) {
    return new FormationRun(
        new FormationOptions(
            config.clusterConfig().env(),
            config.expectNodes(),
            addresses.own(),
            config.joinConfig().helloTimeout(),
            config.joinConfig().helloInterval()),
        addresses.seeds(),
        channels,
        config.peerConfig(),
        addresses.bind(),
        config.clusterConfig().tls(),
        random);
  }

  private static JoinOptions join(
      BrokerConfig config, ClusterAddresses clusterAddresses, JoinOptions.Creation creation) {
    return new JoinOptions(
        creation,
        config.clusterConfig().env(),
        clusterAddresses.own(),
        clusterAddresses.seeds(),
        config.joinConfig(),
        SupportedLevels.ofThisProcess());
  }

  private static StartException interrupted(InterruptedException cause) {
    Thread.currentThread().interrupt();
    return new StartException("interrupted while joining the cluster", cause);
  }

  /**
   * Opens the cluster ports and Raft groups, and registers this node with the cluster.
   *
   * @throws StartException if this node cannot become a member with its configuration; the message
   *     says what to do
   */
  public static ClusterNode open(
      BrokerConfig config,
      NodeIdentity identity,
      DataDirectory directory,
      ConsensusObserver observer)
      throws StartException, IOException {
    try {
      return new ClusterNode(config, identity, directory, observer);
    } catch (MembershipException e) {
      throw new StartException(String.valueOf(e.getMessage()), e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private ClusterNode(
      BrokerConfig config,
      NodeIdentity identity,
      DataDirectory directory,
      ConsensusObserver observer)
      throws StartException, MembershipException, InterruptedException, IOException {
    this.identity = identity;
    ClusterAddresses clusterAddresses = ClusterAddresses.of(config.clusterConfig());
    warnIfOpenWithoutTls(clusterAddresses, config.clusterConfig().tls());
    try {
      ScheduledExecutorService disk =
          Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "cluster-disk"));
      shutdownSequence.add("cluster disk", disk::shutdown);
      NodeAddresses addresses = NodeAddresses.open(directory.resolve("addresses"), disk);
      StartFence fence = StartFence.open(directory, identity.node(), new SecureRandom(), disk);
      peers =
          shutdownSequence.add(
              "cluster port", open(config, identity, clusterAddresses, addresses, fence));
      FormingFile forming = new FormingFile(directory);
      JoinOptions join =
          join(
              config,
              clusterAddresses,
              forming.isFounder(identity)
                  ? JoinOptions.Creation.FOUNDER
                  : creation(config, directory));
      StartCheck check = new StartCheck(identity, join, peers, fence);
      check.probeNodes(addresses);
      boolean standAlone = StandAloneRequest.isRequested(directory, check, addresses);
      host =
          shutdownSequence.add(
              "consensus",
              openConsensus(config, directory, observer, clusterAddresses, addresses, fence));
      if (standAlone) {
        host.becomeSoleVoter();
      }
      disk.scheduleWithFixedDelay(
          () -> incrementStartCounter(fence),
          COUNTER_INCREMENT_SECONDS,
          COUNTER_INCREMENT_SECONDS,
          TimeUnit.SECONDS);
      membership =
          shutdownSequence.add(
              "membership",
              ClusterMembership.open(
                  identity,
                  host,
                  new MetadataFile(directory.resolve("metadata")),
                  config.metadataConfig(),
                  peers,
                  addresses,
                  ClockFile.open(directory.resolve("clock"), disk),
                  join,
                  config.membershipConfig(),
                  disk));
      forming.delete(); // the cluster exists
      suspensions = new Suspensions(membership::suspend, membership::resume);
    } catch (MembershipException | InterruptedException | IOException | RuntimeException e) {
      shutdownSequence.close();
      throw e;
    }
  }

  private static ConsensusSettings sized(ConsensusSettings settings) {
    return settings.withLog(settings.log().sizedFor(MemoryLimits.ofProcess().databases()));
  }

  private JRaftHost openConsensus(
      BrokerConfig config,
      DataDirectory directory,
      ConsensusObserver observer,
      ClusterAddresses clusterAddresses,
      NodeAddresses addresses,
      StartFence fence)
      throws IOException {
    return JRaftHost.open(
        identity.node(),
        directory.resolve("log"),
        sized(config.consensusConfig()),
        observer,
        new RaftPortConfig(
            clusterAddresses.bindRaft(),
            addresses.raftAddressBook(),
            config.raftPortConfig(),
            config.clusterConfig().tls(),
            fence));
  }

  private static void warnIfOpenWithoutTls(ClusterAddresses addresses, @Nullable ClusterTls tls) {
    if (tls == null && addresses.isOpenToOthers()) {
      LOG.warn(
          "Cluster ports are reachable from other hosts without TLS, so anyone who can connect to"
              + " them can read and write all data; use a private network or set"
              + " clusterConfig.certFile, keyFile and trustFile address={} raftPort={}",
          addresses.bind(),
          addresses.bindRaft().getPort());
    }
  }

  private void incrementStartCounter(StartFence fence) {
    try {
      fence.incrementCounter();
      host.announceStart();
    } catch (IOException | RuntimeException e) { // otherwise the periodic task would be canceled
      LOG.warn("Failed to increment the start counter; retrying: {}", e.toString());
    }
  }

  private static PeerPort open(
      BrokerConfig config,
      NodeIdentity identity,
      ClusterAddresses clusterAddresses,
      NodeAddresses addresses,
      StartFence fence)
      throws IOException {
    try {
      return PeerPort.open(
          identity,
          clusterAddresses.bind(),
          addresses.peerAddressBook(),
          config.clusterConfig().tls(),
          config.peerConfig(),
          fence);
    } catch (IOException e) {
      throw new IOException(
          e.getMessage()
              + "; free the port, or change clusterConfig.port on this node and in the seeds of the"
              + " other nodes",
          e);
    }
  }

  public NodeId self() {
    return identity.node();
  }

  /** Calls to and from other nodes. */
  public PeerPort peers() {
    return peers;
  }

  public JRaftHost host() {
    return host;
  }

  public ClusterMembership membership() {
    return membership;
  }

  /** The requests to suspend this node. */
  public Suspensions suspensions() {
    return suspensions;
  }

  public MetadataGroup metadata() {
    return membership.metadata();
  }

  /**
   * Declares this node ready. From then on, the cluster can mark it UP and let it serve clients.
   *
   * @return a handle to close after clients are disconnected and before the ranges close, so that
   *     no other node waits for this one
   */
  public AutoCloseable declareReady() {
    membership.markReady();
    return membership::leaveService;
  }

  /**
   * Waits until this node can serve clients. Until then, it would refuse every client.
   *
   * @param isBeingRepaired while it returns true, the timeout does not apply
   * @throws StartException if the timeout expires
   */
  public void awaitServing(Duration timeout, BooleanSupplier isBeingRepaired)
      throws StartException {
    long deadline = System.nanoTime() + timeout.toNanos();
    long nextLog = System.nanoTime() + LOG_INTERVAL_NANOS;
    while (!membership.isServing()) {
      if (System.nanoTime() > deadline && !isBeingRepaired.getAsBoolean()) {
        throw new StartException(
            "this node is not ready to serve clients after "
                + timeout.toSeconds()
                + " s (storeConfig.leaderTimeout): "
                + membership.notServingReason());
      }
      if (System.nanoTime() > nextLog) {
        nextLog += LOG_INTERVAL_NANOS;
        LOG.info("Not serving clients yet: {}", membership.notServingReason());
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  /** The reasons why this node is not serving clients; empty if it is serving. */
  public List<String> notServingReasons() {
    String reason = membership.notServingReason();
    return reason == null ? List.of() : List.of("the node is not serving clients: " + reason);
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
