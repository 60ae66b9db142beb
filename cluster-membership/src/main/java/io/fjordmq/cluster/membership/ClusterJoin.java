package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.DataDirectory;
import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.consensus.ConsensusHost;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.forming.FormationOutcome;
import io.fjordmq.cluster.forming.FormingFile;
import io.fjordmq.cluster.metadata.ClusterRecord;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.MetadataView;
import io.fjordmq.cluster.peer.Hello;
import io.fjordmq.cluster.peer.HelloClient;
import io.fjordmq.cluster.peer.HelloReply;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a node a member: it creates a new cluster, or joins the cluster of its seeds. Runs on the
 * startup thread; blocks until a seed responds.
 */
public final class ClusterJoin {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterJoin.class);

  private final JoinOptions options;
  private final HelloClient helloClient;
  private final WallClockComparison clocks;
  private Map<NodeAddress, String> reportedFailures = Map.of();

  /**
   * @param helloClient contacts the seeds: {@link io.fjordmq.cluster.peer.PeerChannels} while the
   *     node has no identity
   */
  public ClusterJoin(JoinOptions options, HelloClient helloClient, InstantSource wallClock) {
    this.options = options;
    this.helloClient = helloClient;
    this.clocks = new WallClockComparison(wallClock);
  }

  /**
   * Reads the identity from the data directory. At the first start, creates it for a new cluster or
   * for the cluster of the seeds, and stores it.
   *
   * @throws MembershipException if the node cannot get an identity; the message explains why and
   *     what to do
   */
  public NodeIdentity identify(DataDirectory directory, RandomGenerator random)
      throws MembershipException, IOException, InterruptedException {
    Optional<NodeIdentity> stored = NodeIdentity.load(directory);
    if (stored.isPresent()) {
      return stored.get();
    }
    NodeIdentity created = NodeIdentity.random(random);
    if (options.bootstrap()) {
      requireNoPromise(directory);
      refuseSecondCluster(contactSeeds(Hello.ANONYMOUS));
    } else {
      requireSeeds("the data directory " + directory.path() + " is new and 'bootstrap' is false");
      HelloReply seed = awaitSeed(Hello.ANONYMOUS);
      created = new NodeIdentity(created.node(), seed.clusterId());
    }
    created.store(directory);
    LOG.info(
        "Starting for the first time node={} action={} cluster={}",
        created.node(),
        options.bootstrap() ? "bootstrap" : "join",
        created.clusterId());
    return created;
  }

  /**
   * Stores the identity of a node that has founded a cluster or has found one by {@link
   * io.fjordmq.cluster.forming.FormationRun}.
   *
   * @throws MembershipException if the node cannot join the cluster; the message explains why and
   *     what to do
   */
  public NodeIdentity identify(DataDirectory directory, FormationOutcome outcome)
      throws MembershipException, IOException {
    if (outcome instanceof FormationOutcome.Founded founded) {
      founded.identity().store(directory);
      LOG.info(
          "Starting for the first time node={} action=create cluster={}",
          founded.identity().node(),
          founded.identity().clusterId());
      return founded.identity();
    }
    FormationOutcome.Found found = (FormationOutcome.Found) outcome;
    HelloReply seed = checkReplies(found.replies(), found.sentMillis()).orElseThrow();
    NodeIdentity joined = new NodeIdentity(found.node(), seed.clusterId());
    joined.store(directory);
    new FormingFile(directory).delete();
    LOG.info(
        "Starting for the first time node={} action=join cluster={}",
        joined.node(),
        joined.clusterId());
    return joined;
  }

  private static void requireNoPromise(DataDirectory directory)
      throws MembershipException, IOException {
    Optional<NodeId> founder = new FormingFile(directory).promisedTo();
    if (founder.isPresent()) {
      throw new MembershipException(
          "'bootstrap: true' creates a new cluster, but this node has promised to join the cluster of node %s, which may already exist; set expectNodes again, or empty the data directory %s"
              .formatted(founder.get(), directory.path()));
    }
  }

  private void refuseSecondCluster(List<HelloReply> replies) throws MembershipException {
    for (HelloReply seed : replies) {
      throw new MembershipException(
          "'bootstrap: true' or a restore creates a new cluster, but the seed at %s is a node of cluster %s; set bootstrap: false to join that cluster, or remove the seed from seedEndpoints"
              .formatted(seed.address(), seed.clusterId()));
    }
  }

  private void requireSeeds(String reason) throws MembershipException {
    if (otherSeeds().isEmpty()) {
      throw new MembershipException(
          reason
              + "; to join a cluster, add one of its nodes to seedEndpoints; to create a cluster,"
              + " set bootstrap: true for the first start of its first node, or expectNodes on all"
              + " its nodes");
    }
  }

  private List<NodeAddress> otherSeeds() {
    return options.seeds().lookUp().stream()
        .filter(seed -> !seed.equals(options.address()))
        .toList();
  }

  /**
   * Creates this node's replica of the metadata if there is none: the only replica of a new
   * cluster, or an empty one that knows the current replica set.
   *
   * @throws MembershipException if this node has lost its metadata, or the seeds belong to another
   *     cluster
   */
  void createReplica(NodeIdentity self, ConsensusHost host, NodeAddresses addresses)
      throws MembershipException, InterruptedException {
    if (MetadataGroup.exists(host)) {
      return;
    }
    if (!host.groups().isEmpty()) {
      throw metadataLost("the Raft log contains other groups but not the metadata group");
    }
    if (options.creation() == JoinOptions.Creation.FOUNDER) {
      MetadataGroup.bootstrap(host, ReplicaSet.ofVoters(self.node()));
      return;
    }
    if (options.bootstrap()) {
      List<HelloReply> replies = contactSeeds(hello(self));
      if (replies.stream().noneMatch(seed -> seed.clusterId().equals(self.clusterId()))) {
        refuseSecondCluster(replies);
        MetadataGroup.bootstrap(host, ReplicaSet.ofVoters(self.node()));
        return;
      }
    }
    requireSeeds("the data directory has an identity but no cluster metadata");
    HelloReply seed = awaitSeed(hello(self));
    if (!seed.clusterId().equals(self.clusterId())) {
      throw new MembershipException(
          "the seed at %s is a node of cluster %s, but this data directory belongs to cluster %s; correct seedEndpoints, or use an empty data directory to join the cluster of the seed"
              .formatted(seed.address(), seed.clusterId(), self.clusterId()));
    }
    if (seed.metadataVoters().contains(self.node())) {
      throw metadataLost("the node is a voter of the metadata group");
    }
    addresses.onAddress(seed.node(), seed.address());
    addresses.addHints(seed.addresses());
    MetadataGroup.bootstrap(
        host,
        new ReplicaSet(seed.metadataVoters(), excluding(seed.metadataLearners(), self.node())));
  }

  private static Set<NodeId> excluding(Set<NodeId> nodes, NodeId excluded) {
    return nodes.stream().filter(node -> !node.equals(excluded)).collect(Collectors.toSet());
  }

  private static MembershipException metadataLost(String evidence) {
    return new MembershipException(
        "this node has lost its metadata ("
            + evidence
            + "); start with an empty data directory to join as a new node, and remove this one"
            + " from the cluster");
  }

  /**
   * @throws MembershipException if the data directory or the configuration belongs to another
   *     cluster than the metadata
   */
  static void requireOneCluster(NodeIdentity self, MetadataView metadata, String env)
      throws MembershipException {
    ClusterRecord cluster = ClusterRecord.of(metadata);
    if (cluster != null && !cluster.id().equals(self.clusterId())) {
      throw new MembershipException(
          ("the data directory mixes two clusters: node.id belongs to cluster %s, the metadata to "
                  + "cluster %s; start with an empty data directory to join one of them")
              .formatted(self.clusterId(), cluster.id()));
    }
    if (cluster != null && !cluster.env().isEmpty() && !cluster.env().equals(env)) {
      throw new MembershipException(
          ("clusterConfig.env is '%s', but this node belongs to cluster %s with env '%s'; the env "
                  + "of a cluster cannot be changed; correct clusterConfig.env")
              .formatted(env, cluster.id(), cluster.env()));
    }
  }

  /**
   * Returns the hello for seeds, without a start stamp, because {@link StartCheck} checks the start
   * separately.
   */
  private Hello hello(NodeIdentity self) {
    return new Hello(self.clusterId(), self.node(), options.address(), null);
  }

  /** Contacts the seeds until one responds. */
  private HelloReply awaitSeed(Hello hello) throws MembershipException, InterruptedException {
    while (true) {
      long sentMillis = clocks.now();
      Optional<HelloReply> seed = checkReplies(contactSeeds(hello), sentMillis);
      if (seed.isPresent()) {
        return seed.get();
      }
      TimeUnit.MILLISECONDS.sleep(options.settings().helloInterval().toMillis());
    }
  }

  /** Returns one of the replies; empty if there are none. */
  private Optional<HelloReply> checkReplies(List<HelloReply> replies, long sentMillis)
      throws MembershipException {
    if (replies.stream().map(HelloReply::clusterId).distinct().count() > 1) {
      throw new MembershipException(
          "the seeds belong to different clusters: "
              + replies.stream()
                  .map(seed -> seed.address() + " to " + seed.clusterId())
                  .collect(Collectors.joining(", "))
              + "; correct seedEndpoints");
    }
    for (HelloReply seed : replies) {
      requireEnv(seed);
      requireClock(seed, sentMillis);
      requireLevel(seed);
      return Optional.of(seed);
    }
    return Optional.empty();
  }

  private void requireEnv(HelloReply seed) throws MembershipException {
    if (!seed.env().isEmpty() && !seed.env().equals(options.env())) {
      throw new MembershipException(
          "clusterConfig.env is '%s', but the seed at %s is a node of cluster %s with env '%s'; correct seedEndpoints, or set clusterConfig.env to '%4$s' to join that cluster"
              .formatted(options.env(), seed.address(), seed.clusterId(), seed.env()));
    }
  }

  private void requireLevel(HelloReply seed) throws MembershipException {
    String refusal = LevelPlan.refusal(options.levels(), seed.level());
    if (refusal != null) {
      throw new MembershipException(
          "cannot join cluster %s of the seed at %s: %s"
              .formatted(seed.clusterId(), seed.address(), refusal));
    }
  }

  private void requireClock(HelloReply seed, long sentMillis) throws MembershipException {
    Duration ahead = clocks.ahead(seed, sentMillis);
    if (ahead.abs().compareTo(options.settings().maxClockDifference()) >= 0) {
      throw new MembershipException(
          WallClockComparison.describeDifference(ahead, seed)
              + "; synchronize the clocks (NTP), then start the node again");
    }
  }

  private List<HelloReply> contactSeeds(Hello hello) throws InterruptedException {
    Map<NodeAddress, CompletableFuture<HelloReply>> pending = new LinkedHashMap<>();
    for (NodeAddress seed : otherSeeds()) {
      pending.put(seed, helloClient.sendHello(seed, hello, options.settings().helloTimeout()));
    }
    List<HelloReply> replies = new ArrayList<>();
    Map<NodeAddress, String> failures =
        new TreeMap<>((a, b) -> a.toString().compareTo(b.toString()));
    for (Map.Entry<NodeAddress, CompletableFuture<HelloReply>> seed : pending.entrySet()) {
      try {
        replies.add(seed.getValue().get());
      } catch (ExecutionException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        failures.put(seed.getKey(), String.valueOf(cause.getMessage()));
      }
    }
    if (replies.isEmpty() && !failures.isEmpty() && !failures.equals(reportedFailures)) {
      LOG.warn(
          "No seed responded{}: {}",
          options.bootstrap() ? "" : "; retrying",
          String.join("; ", failures.values()));
      reportedFailures = failures;
    }
    return replies;
  }
}
