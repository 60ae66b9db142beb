package io.fjordmq.range.sim;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimNetwork;
import io.fjordmq.range.Coprocessor;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.store.RangeStore;
import io.fjordmq.range.store.ReplicaStatus;
import io.fjordmq.testing.Simulation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs one seed: clients append words to keys of two ranges on one or three nodes while messages
 * get lost, nodes and clients crash, disks fill up and leaders change. Then the disturbances end,
 * and all replicas and clients must agree.
 */
final class RangeSimulation {
  private static final List<String> KEYS = List.of("a", "b", "c", "x", "y");
  private static final int CLIENTS = 3;
  private static final int ROUNDS = 25;
  private static final long TIMEOUT_MILLIS = 60_000;

  private final Simulation simulation;
  private final SimCluster cluster;
  private final WordHistory history = new WordHistory();
  private final SimCounts counts;
  private final List<NodeId> nodeIds = new ArrayList<>();
  private final List<SimNode> nodes = new ArrayList<>();
  private final List<SimClient> clients = new ArrayList<>();
  private final List<RangeDescriptor> ranges;
  private final SimTransport.Factory transport;
  private final RandomMergeDriver merges;
  private int clientsCreated;
  private long lastNumber = 2;

  /** How a run differs from the default. */
  record Setup(
      int voters,
      Function<RangeId, Coprocessor> coprocessor,
      SimTransport.Factory transport,
      boolean unsyncedGroups,
      boolean mergesEarly) {
    static Setup of(int voters) {
      return new Setup(voters, id -> new AppendingCoprocessor(), SimTransport::new, false, false);
    }

    Setup withTransport(SimTransport.Factory other) {
      return new Setup(voters, coprocessor, other, unsyncedGroups, mergesEarly);
    }
  }

  RangeSimulation(long seed, Setup setup, Path installDirectory, SimCounts counts)
      throws IOException {
    this.simulation = new Simulation(seed);
    this.cluster = new SimCluster(simulation);
    this.counts = counts;
    this.transport = setup.transport();
    simulation.afterEveryEvent(history::assertNoViolation);
    for (int i = 0; i < setup.voters(); i++) {
      nodeIds.add(new NodeId("node" + i));
    }
    StoreSpec spec =
        new StoreSpec(
            "words", List.of("m".getBytes(UTF_8)), setup.coprocessor(), (range, effects) -> {});
    merges = new RandomMergeDriver(simulation, mergeNodes(), counts, setup.mergesEarly());
    ranges = spec.initialRanges(ReplicaSet.ofVoters(nodeIds.toArray(NodeId[]::new)));
    for (NodeId id : nodeIds) {
      SimNode node = new SimNode(cluster, id, spec, ranges, installDirectory, history, counts);
      if (setup.unsyncedGroups()) {
        node.forgetGroups();
      }
      nodes.add(node);
    }
  }

  private RandomMergeDriver.Nodes mergeNodes() {
    return new RandomMergeDriver.Nodes() {
      @Override
      public List<NodeId> ids() {
        return nodes.stream().map(SimNode::id).toList();
      }

      @Override
      public @Nullable RangeStore store(NodeId id) {
        return nodes.stream()
            .filter(node -> node.id().equals(id) && node.isRunning())
            .map(SimNode::store)
            .findFirst()
            .orElse(null);
      }
    };
  }

  /**
   * @throws AssertionError naming the seed if a guarantee is violated
   */
  void run() {
    cluster.network().setFaults(SimNetwork.Faults.UNRELIABLE);
    try (cluster) {
      for (SimNode node : nodes) {
        node.start();
      }
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(newClient(new NodeId("client" + i)));
      }
      for (int round = 0; round < ROUNDS; round++) {
        injectFault();
        simulation.run(simulation.between(1, 150));
      }
      if (nodes.size() > 2) {
        runWithoutOneNode();
      }
      endFailures();
    } catch (IOException e) {
      throw new UncheckedIOException("seed " + simulation.seed(), e);
    }
  }

  private SimClient newClient(NodeId node) {
    return new SimClient(
        cluster, node, "c" + ++clientsCreated, KEYS, ranges, history, counts, transport);
  }

  private void injectFault() throws IOException {
    SimNode node = nodes.get((int) simulation.between(0, nodes.size() - 1));
    if (!node.isRunning()) {
      if (simulation.chance(50)) {
        node.start();
      }
    } else if (simulation.chance(12)) {
      node.crash();
    } else if (simulation.chance(6)) {
      node.failDisk(true);
    } else {
      node.failDisk(false);
    }
    if (node.isRunning() && simulation.chance(25)) {
      split(node);
    }
    if (simulation.chance(60)) {
      merges.takeStep();
    }
    if (simulation.chance(8)) {
      cluster.network().partition(nodeIds, List.of(node.id()));
    } else if (simulation.chance(8)) {
      cluster.network().cut(node.id(), clients.get(0).node());
    } else if (simulation.chance(30)) {
      cluster.network().heal();
    }
    if (simulation.chance(15)) {
      int position = (int) simulation.between(0, clients.size() - 1);
      SimClient client = clients.get(position);
      counts.acknowledgements += client.acknowledgements();
      client.crash();
      clients.set(position, newClient(client.node()));
    }
  }

  /** Splits a range that this node leads, at a random key. */
  private void split(SimNode node) {
    String key = KEYS.get((int) simulation.between(0, KEYS.size() - 1));
    for (ReplicaStatus replica : node.store().status()) {
      RangeDescriptor range = replica.descriptor();
      if (replica.leading() && range.interval().contains(key.getBytes(UTF_8))) {
        node.store()
            .leaderOperations()
            .split(range.id(), range.epoch().version(), key.getBytes(UTF_8), ++lastNumber);
        return;
      }
    }
  }

  /**
   * One node crashes at a random moment and stays down. The others are a majority, so every key has
   * a leader, although no merge makes progress.
   */
  private void runWithoutOneNode() throws IOException {
    SimNode crashed = nodes.get((int) simulation.between(0, nodes.size() - 1));
    NodeId wanted = merges.leaderOfLeft();
    for (SimNode node : nodes) {
      crashed = node.id().equals(wanted) ? node : crashed;
    }
    if (crashed.isRunning()) {
      crashed.crash();
    }
    List<SimNode> others = new ArrayList<>(nodes);
    others.remove(crashed);
    endFailuresOf(others);
    try {
      simulation.runUntil(
          "every key has a leader without " + crashed.id(),
          () -> KEYS.stream().allMatch(key -> isLed(key, others)),
          TIMEOUT_MILLIS);
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + describeNodes(others), e);
    }
  }

  /** Describes which node holds what, to diagnose failures. */
  private static String describeNodes(List<SimNode> nodes) {
    StringBuilder text = new StringBuilder();
    nodes.forEach(
        node -> node.store().status().forEach(replica -> text.append("\n").append(replica)));
    return text.toString();
  }

  private static boolean isLed(String key, List<SimNode> by) {
    return by.stream()
        .flatMap(node -> node.store().status().stream())
        .anyMatch(
            replica ->
                replica.leading() && replica.descriptor().interval().contains(key.getBytes(UTF_8)));
  }

  private void endFailuresOf(List<SimNode> those) throws IOException {
    cluster.network().heal();
    cluster.network().setFaults(SimNetwork.Faults.NONE);
    for (SimNode node : those) {
      node.failDisk(false);
      if (!node.isRunning()) {
        node.start();
      }
    }
  }

  private void endFailures() throws IOException {
    endFailuresOf(nodes);
    clients.forEach(SimClient::stopSending);
    awaitResponses(); // then the entries in the logs are committed
    simulation.runUntil("no range is being merged", merges::endMerges, TIMEOUT_MILLIS);
    publishRanges();
    simulation.run(SimClient.REGISTER_AGAIN_AFTER.toMillis() + 1); // then no sender is evicted
    int failedBefore = failures();
    clients.forEach(SimClient::sendLastCommand);
    awaitResponses();
    assertThat(failures() - failedBefore)
        .as("seed %s: failures after the disturbances ended", simulation.seed())
        .isZero();
    simulation.runUntil(
        "all replicas have the same applied index", this::areReplicasEqual, TIMEOUT_MILLIS);
    clients.forEach(client -> counts.acknowledgements += client.acknowledgements());
  }

  /**
   * The ranges in a response about a merge can leave a gap if the client has not learned of a split
   * of the neighbor yet; the client then waits for the published ranges.
   */
  private void publishRanges() {
    List<RangeDescriptor> now = nodes.get(0).store().descriptors("words");
    clients.forEach(client -> client.updateRanges(now));
  }

  private void awaitResponses() {
    simulation.runUntil(
        "every client has its responses",
        () -> clients.stream().allMatch(client -> client.pendingCalls() == 0),
        TIMEOUT_MILLIS);
  }

  private int failures() {
    return clients.stream().mapToInt(SimClient::failures).sum();
  }

  /** Replicas at the same index have been compared already. */
  private boolean areReplicasEqual() {
    List<List<Long>> indexes =
        nodes.stream()
            .map(node -> node.store().status().stream().map(ReplicaStatus::appliedIndex).toList())
            .toList();
    return indexes.stream().distinct().count() == 1
        && nodes.stream().allMatch(SimNode::coversAllKeys);
  }
}
