package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.DataDirectory;
import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusHost;
import io.fjordmq.cluster.consensus.ReplicaSet;
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
 * How a node becomes one of a cluster: it makes a new one, or asks its seeds for theirs. For the
 * starting thread; blocks, for as long as no seed answers.
 */
public final class Joining {
  private static final Logger LOG = LoggerFactory.getLogger(Joining.class);

  private final JoinSettings settings;
  private final HelloClient helloClient;
  private final Clocks clocks;
  private Map<NodeAddress, String> reported = Map.of();

  /**
   * @param greeter asks the seeds: {@link io.fjordmq.cluster.peer.PeerChannels} as long as there is
   *     no identity
   */
  public Joining(JoinSettings settings, HelloClient helloClient, InstantSource wallClock) {
    this.settings = settings;
    this.helloClient = helloClient;
    this.clocks = new Clocks(wallClock);
  }

  /**
   * The identity kept in the data directory; on a first start one of a new cluster or of that of
   * the seeds, which is kept from then on.
   *
   * @throws MembershipException if the node cannot have one; says why and what to do
   */
  public NodeIdentity identify(DataDirectory directory, RandomGenerator random)
      throws MembershipException, IOException, InterruptedException {
    Optional<NodeIdentity> kept = NodeIdentity.load(directory);
    if (kept.isPresent()) {
      return kept.get();
    }
    NodeIdentity made = NodeIdentity.random(random);
    if (settings.bootstrap()) {
      refuseSecondCluster(askSeeds(Hello.NOBODY));
    } else {
      requireSeeds("the data directory " + directory.path() + " is new and 'bootstrap' is false");
      HelloReply seed = awaitSeed(Hello.NOBODY);
      made = new NodeIdentity(made.node(), seed.clusterId());
    }
    made.store(directory);
    LOG.info(
        "First start node={} action={} cluster={}",
        made.node(),
        settings.bootstrap() ? "bootstrap" : "join",
        made.clusterId());
    return made;
  }

  private void refuseSecondCluster(List<HelloReply> answers) throws MembershipException {
    for (HelloReply seed : answers) {
      throw new MembershipException(
          "'bootstrap: true' makes a new cluster, but the seed at %s is a node of cluster %s: set bootstrap: false to join that one, or take it out of seedEndpoints"
              .formatted(seed.address(), seed.clusterId()));
    }
  }

  private void requireSeeds(String because) throws MembershipException {
    if (otherSeeds().isEmpty()) {
      throw new MembershipException(
          because
              + ": name a node of the cluster in seedEndpoints to join it, or set bootstrap: true for the first start of a cluster's first node");
    }
  }

  private List<NodeAddress> otherSeeds() {
    return settings.seeds().stream().filter(seed -> !seed.equals(settings.address())).toList();
  }

  /**
   * Creates this node's replica of the metadata if it has none: the only one of a new cluster, or
   * an empty one that knows who holds them now.
   *
   * @throws MembershipException if it has lost what it held, or the seeds are of another cluster
   */
  void createReplica(NodeIdentity self, ConsensusHost host, NodeAddresses addresses)
      throws MembershipException, ConsensusException, InterruptedException {
    if (MetadataGroup.exists(host)) {
      return;
    }
    if (!host.groups().isEmpty()) {
      throw lost("its log has other groups, but not the cluster's metadata");
    }
    if (settings.bootstrap()) {
      List<HelloReply> answers = askSeeds(hello(self));
      if (answers.stream().noneMatch(seed -> seed.clusterId().equals(self.clusterId()))) {
        refuseSecondCluster(answers);
        MetadataGroup.bootstrap(host, ReplicaSet.ofVoters(self.node()));
        return;
      }
    }
    requireSeeds("the data directory has an identity but no metadata of the cluster");
    HelloReply seed = awaitSeed(hello(self));
    if (!seed.clusterId().equals(self.clusterId())) {
      throw new MembershipException(
          "the seed at %s is a node of cluster %s, this data directory belongs to cluster %s: correct seedEndpoints, or choose an empty data directory to join"
              .formatted(seed.address(), seed.clusterId(), self.clusterId()));
    }
    if (seed.metadataVoters().contains(self.node())) {
      throw lost("the cluster counts on it as a voter of the metadata");
    }
    addresses.onAddress(seed.node(), seed.address());
    addresses.suggested(seed.addresses());
    MetadataGroup.bootstrap(
        host, new ReplicaSet(seed.metadataVoters(), without(seed.metadataLearners(), self.node())));
  }

  private static Set<NodeId> without(Set<NodeId> nodes, NodeId one) {
    return nodes.stream().filter(node -> !node.equals(one)).collect(Collectors.toSet());
  }

  private static MembershipException lost(String evidence) {
    return new MembershipException(
        "this node has lost its metadata ("
            + evidence
            + "): start with an empty data directory to join as a new node, and remove this one from"
            + " the cluster");
  }

  /**
   * @throws MembershipException if the data directory or its configuration belongs to a cluster
   *     other than that of the metadata
   */
  static void requireOneCluster(NodeIdentity self, MetadataView metadata, String env)
      throws MembershipException {
    ClusterRecord cluster = ClusterRecord.of(metadata);
    if (cluster != null && !cluster.id().equals(self.clusterId())) {
      throw new MembershipException(
          "the data directory mixes two clusters: node.id says %s, the metadata %s: start with an empty data directory to join one of them"
              .formatted(self.clusterId(), cluster.id()));
    }
    if (cluster != null && !cluster.env().isEmpty() && !cluster.env().equals(env)) {
      throw new MembershipException(
          "clusterConfig.env is '%s', but this node belongs to cluster %s of env '%s': set clusterConfig.env to that; a cluster keeps the env of its first node"
              .formatted(env, cluster.id(), cluster.env()));
    }
  }

  /** The fence judges its start separately: {@link StartCheck}. */
  private Hello hello(NodeIdentity self) {
    return new Hello(self.clusterId(), self.node(), settings.address(), null);
  }

  /** Asks until one answers. */
  private HelloReply awaitSeed(Hello hello) throws MembershipException, InterruptedException {
    while (true) {
      long askedMillis = clocks.now();
      List<HelloReply> answers = askSeeds(hello);
      if (answers.stream().map(HelloReply::clusterId).distinct().count() > 1) {
        throw new MembershipException(
            "the seeds are nodes of different clusters: "
                + answers.stream()
                    .map(seed -> seed.address() + " of " + seed.clusterId())
                    .collect(Collectors.joining(", "))
                + "; correct seedEndpoints");
      }
      for (HelloReply seed : answers) {
        requireEnv(seed);
        requireClock(seed, askedMillis);
        return seed;
      }
      TimeUnit.MILLISECONDS.sleep(settings.helloPause().toMillis());
    }
  }

  private void requireEnv(HelloReply seed) throws MembershipException {
    if (!seed.env().isEmpty() && !seed.env().equals(settings.env())) {
      throw new MembershipException(
          "clusterConfig.env is '%s', but the seed at %s is a node of cluster %s of env '%s': correct seedEndpoints, or clusterConfig.env if this node is to join that cluster"
              .formatted(settings.env(), seed.address(), seed.clusterId(), seed.env()));
    }
  }

  private void requireClock(HelloReply seed, long askedMillis) throws MembershipException {
    Duration ahead = clocks.ahead(seed, askedMillis);
    if (ahead.abs().compareTo(settings.clockRefusal()) >= 0) {
      throw new MembershipException(
          Clocks.apart(ahead, seed) + ": set it right (NTP), then start the node again");
    }
  }

  private List<HelloReply> askSeeds(Hello hello) throws InterruptedException {
    Map<NodeAddress, CompletableFuture<HelloReply>> asked = new LinkedHashMap<>();
    for (NodeAddress seed : otherSeeds()) {
      asked.put(seed, helloClient.greet(seed, hello, settings.helloTimeout()));
    }
    List<HelloReply> answers = new ArrayList<>();
    Map<NodeAddress, String> failures =
        new TreeMap<>((a, b) -> a.toString().compareTo(b.toString()));
    for (Map.Entry<NodeAddress, CompletableFuture<HelloReply>> seed : asked.entrySet()) {
      try {
        answers.add(seed.getValue().get());
      } catch (ExecutionException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        failures.put(seed.getKey(), String.valueOf(cause.getMessage()));
      }
    }
    if (answers.isEmpty() && !failures.isEmpty() && !failures.equals(reported)) {
      LOG.warn(
          "No seed answered{}: {}",
          settings.bootstrap() ? "" : ", retrying",
          String.join("; ", failures.values()));
      reported = failures;
    }
    return answers;
  }
}
