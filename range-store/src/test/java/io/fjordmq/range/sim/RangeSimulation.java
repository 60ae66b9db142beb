package io.fjordmq.range.sim;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimNetwork;
import io.fjordmq.cluster.consensus.sim.Simulation;
import io.fjordmq.range.Coprocessor;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.store.RangeStore;
import io.fjordmq.range.store.ReplicaStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One seed's run: clients append words to keys of two ranges on one or three nodes while messages
 * get lost, nodes and clients crash, disks fill up and leaders change; then there is peace, and
 * everybody must agree.
 */
final class RangeSimulation {
  private static final List<String> KEYS = List.of("a", "b", "c", "x", "y");
  private static final int CLIENTS = 3;
  private static final int ROUNDS = 25;
  private static final long PATIENCE_MILLIS = 60_000;

  private final Simulation simulation;
  private final SimCluster cluster;
  private final WordHistory history = new WordHistory();
  private final SimCounts counts;
  private final List<NodeId> nodeIds = new ArrayList<>();
  private final List<SimNode> nodes = new ArrayList<>();
  private final List<SimClient> clients = new ArrayList<>();
  private final List<RangeDescriptor> ranges;
  private final SimTransport.Factory transport;
  private final MergeTrials merges;
  private int lives;
  private long lastNumber = 2;

  /** How a run differs from the usual. */
  record Setup(
      int voters,
      Function<RangeId, Coprocessor> coprocessor,
      SimTransport.Factory transport,
      boolean unsyncedGroups,
      boolean hastyMerges) {
    static Setup of(int voters) {
      return new Setup(voters, id -> new AppendingCoprocessor(), SimTransport::new, false, false);
    }

    Setup with(SimTransport.Factory other) {
      return new Setup(voters, coprocessor, other, unsyncedGroups, hastyMerges);
    }
  }

  RangeSimulation(long seed, Setup setup, Path installs, SimCounts counts) throws IOException {
    this.simulation = new Simulation(seed);
    this.cluster = new SimCluster(simulation);
    this.counts = counts;
    this.transport = setup.transport();
    simulation.afterEveryEvent(history::assertUnviolated);
    for (int i = 0; i < setup.voters(); i++) {
      nodeIds.add(new NodeId("node" + i));
    }
    StoreSpec spec =
        new StoreSpec(
            "words", List.of("m".getBytes(UTF_8)), setup.coprocessor(), (range, effects) -> {});
    merges = new MergeTrials(simulation, mergeNodes(), counts, setup.hastyMerges());
    ranges = RangeStore.initialRanges(spec, ReplicaSet.ofVoters(nodeIds.toArray(NodeId[]::new)));
    for (NodeId id : nodeIds) {
      SimNode node = new SimNode(cluster, id, spec, ranges, installs, history, counts);
      if (setup.unsyncedGroups()) {
        node.forgetGroups();
      }
      nodes.add(node);
    }
  }

  private MergeTrials.Nodes mergeNodes() {
    return new MergeTrials.Nodes() {
      @Override
      public List<NodeId> ids() {
        return nodes.stream().map(SimNode::id).toList();
      }

      @Override
      public @Nullable RangeStore store(NodeId id) {
        return nodes.stream()
            .filter(node -> node.id().equals(id) && node.running())
            .map(SimNode::store)
            .findFirst()
            .orElse(null);
      }
    };
  }

  /**
   * @throws AssertionError naming the seed if a promise is broken
   */
  void run() {
    cluster.network().setFaults(SimNetwork.Faults.ROUGH);
    try (cluster) {
      for (SimNode node : nodes) {
        node.start();
      }
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(newClient(new NodeId("client" + i)));
      }
      for (int round = 0; round < ROUNDS; round++) {
        trouble();
        simulation.run(simulation.between(1, 150));
      }
      if (nodes.size() > 2) {
        withoutOne();
      }
      peace();
    } catch (IOException e) {
      throw new UncheckedIOException("seed " + simulation.seed(), e);
    }
  }

  private SimClient newClient(NodeId node) {
    return new SimClient(cluster, node, "c" + ++lives, KEYS, ranges, history, counts, transport);
  }

  private void trouble() throws IOException {
    SimNode node = nodes.get((int) simulation.between(0, nodes.size() - 1));
    if (!node.running()) {
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
    if (node.running() && simulation.chance(25)) {
      split(node);
    }
    if (simulation.chance(60)) {
      merges.some();
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

  /** Whichever range this node leads, anywhere between its keys. */
  private void split(SimNode node) {
    String key = KEYS.get((int) simulation.between(0, KEYS.size() - 1));
    for (ReplicaStatus replica : node.store().status()) {
      RangeDescriptor range = replica.descriptor();
      if (replica.leading() && range.interval().contains(key.getBytes(UTF_8))) {
        node.store().split(range.id(), range.epoch().version(), key.getBytes(UTF_8), ++lastNumber);
        return;
      }
    }
  }

  /**
   * One node dies in the middle of whatever is going on, and stays away: the others are a majority,
   * so there is a leader for every key, although nobody goes on with a merge.
   */
  private void withoutOne() throws IOException {
    SimNode gone = nodes.get((int) simulation.between(0, nodes.size() - 1));
    NodeId wanted = merges.leaderOfLeft();
    for (SimNode node : nodes) {
      gone = node.id().equals(wanted) ? node : gone;
    }
    if (gone.running()) {
      gone.crash();
    }
    List<SimNode> others = new ArrayList<>(nodes);
    others.remove(gone);
    pacify(others);
    try {
      simulation.runUntil(
          "every key has a leader without " + gone.id(),
          () -> KEYS.stream().allMatch(key -> isLed(key, others)),
          PATIENCE_MILLIS);
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + where(others), e);
    }
  }

  /** Who holds what, for whoever has to find out why. */
  private static String where(List<SimNode> nodes) {
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

  private void pacify(List<SimNode> those) throws IOException {
    cluster.network().heal();
    cluster.network().setFaults(SimNetwork.Faults.NONE);
    for (SimNode node : those) {
      node.failDisk(false);
      if (!node.running()) {
        node.start();
      }
    }
  }

  private void peace() throws IOException {
    pacify(nodes);
    clients.forEach(SimClient::rest);
    awaitAnswers(); // then what was in the logs is committed
    simulation.runUntil("no range is being merged", merges::end, PATIENCE_MILLIS);
    publish();
    simulation.run(SimClient.REGISTER_AGAIN_AFTER.toMillis() + 1); // then nobody is forgotten
    int failedBefore = failures();
    clients.forEach(SimClient::lastWord);
    awaitAnswers();
    assertThat(failures() - failedBefore)
        .as("seed %s: failures in peace", simulation.seed())
        .isZero();
    simulation.runUntil("all replicas are equally far", this::allEqual, PATIENCE_MILLIS);
    clients.forEach(client -> counts.acknowledgements += client.acknowledgements());
  }

  /**
   * What a merge's answers say of one range leaves keys without one, where the client has not heard
   * of a split of that range's neighbour yet: then it waits for what is published.
   */
  private void publish() {
    List<RangeDescriptor> now = nodes.get(0).store().descriptors("words");
    clients.forEach(client -> client.update(now));
  }

  private void awaitAnswers() {
    simulation.runUntil(
        "every client has its answers",
        () -> clients.stream().allMatch(client -> client.waiting() == 0),
        PATIENCE_MILLIS);
  }

  private int failures() {
    return clients.stream().mapToInt(SimClient::failures).sum();
  }

  /** At the same index their states were compared already. */
  private boolean allEqual() {
    List<List<Long>> indexes =
        nodes.stream()
            .map(node -> node.store().status().stream().map(ReplicaStatus::appliedIndex).toList())
            .toList();
    return indexes.stream().distinct().count() == 1
        && nodes.stream().allMatch(SimNode::holdsEverything);
  }
}
