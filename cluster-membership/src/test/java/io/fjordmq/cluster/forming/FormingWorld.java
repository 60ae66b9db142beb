package io.fjordmq.cluster.forming;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimDisk;
import io.fjordmq.cluster.consensus.sim.SimHost;
import io.fjordmq.cluster.consensus.sim.SimNetwork;
import io.fjordmq.cluster.peer.AddressCalls;
import io.fjordmq.testing.Simulation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Nodes that start empty, at any time, on a faulty network; they crash at any step, are paused, and
 * lose their disks. A slot is the place of a node: one process at a time, and one disk at a time.
 *
 * <p>Invariants, checked after every event: all disks together know at most one cluster, and no
 * cluster is founded before enough slots have been started. At the end, without faults, all slots
 * must be members of one cluster.
 */
final class FormingWorld implements AutoCloseable {
  private static final long CALM_MILLIS = 120_000;
  private static final int FAULTS = 150;
  private static final int SHIFTS = 15;
  private static final double CRASH_PERCENT = 6;

  private final Simulation simulation;
  private final SimCluster cluster;
  private final SimAddresses addresses;
  private final Scenario scenario;
  private final Defects defects;
  private final List<NodeId> slots = new ArrayList<>();
  private final Map<String, SimWaitingNode> running = new TreeMap<>();
  private final Set<NodeId> started = new HashSet<>();
  private boolean faulty = true;
  private int losses;
  private boolean blocked;
  private final Set<String> clusters = new TreeSet<>();

  /**
   * What a run does.
   *
   * @param slots the number of nodes that exist
   * @param maxLosses the number of disks that may be lost
   * @param groups each slot knows only the seeds of its group; 1 if it knows all
   */
  record Scenario(int slots, int expectNodes, int maxLosses, int groups) {

    /** All nodes are expected, and any number of disks may be lost. */
    static Scenario ofAll(int nodes) {
      return new Scenario(nodes, nodes, Integer.MAX_VALUE, 1);
    }

    /** More nodes than expected; one lost disk less than could cause a second cluster. */
    static Scenario ofMost(int slots, int expectNodes) {
      return new Scenario(slots, expectNodes, 2 * expectNodes - slots - 1, 1);
    }
  }

  /** Defects planted in the nodes. */
  interface Defects {
    Defects NONE = new Defects() {};

    default int expectNodes(int configured) {
      return configured;
    }

    default FormingStore store(SimWaitingNode node, SimDisk disk) {
      return node;
    }

    default AddressCalls calls(SimWaitingNode node) {
      return node;
    }
  }

  FormingWorld(long seed, Scenario scenario, Defects defects) {
    this.scenario = scenario;
    this.defects = defects;
    simulation = new Simulation(seed);
    cluster = new SimCluster(simulation);
    for (int i = 0; i < scenario.slots; i++) {
      slots.add(new NodeId("s" + i));
    }
    addresses = new SimAddresses(simulation, simulation.chance(50), slots);
    simulation.afterEveryEvent(this::check);
  }

  Simulation simulation() {
    return simulation;
  }

  SimAddresses addresses() {
    return addresses;
  }

  Defects defects() {
    return defects;
  }

  List<NodeAddress> seedsOf(NodeId slot) {
    int group = groupOf(slot);
    return addresses.seeds().stream()
        .filter(
            seed -> {
              NodeId other = addresses.find(seed);
              return scenario.groups == 1 || (other != null && groupOf(other) == group);
            })
        .toList();
  }

  private int groupOf(NodeId slot) {
    return slots.indexOf(slot) % scenario.groups;
  }

  /**
   * Whether an operator had to empty disks, because nobody could know whether a cluster existed.
   */
  boolean wasBlocked() {
    return blocked;
  }

  int losses() {
    return losses;
  }

  /** The number of clusters that have existed, one after the other. */
  int clusters() {
    return clusters.size();
  }

  /** Runs with faults, then without until every slot is a member. */
  void run() {
    cluster.network().setFaults(SimNetwork.Faults.UNRELIABLE);
    for (int i = 0; i < FAULTS; i++) {
      injectFault();
      simulation.run(simulation.between(1, 2_000));
    }
    endFaults();
  }

  /**
   * Runs with partitions that change all the time and leave just enough nodes together, while nodes
   * crash and return.
   */
  void runWithShiftingPartitions() {
    slots.forEach(this::start);
    for (int i = 0; i < SHIFTS; i++) {
      cluster.network().heal();
      partition(scenario.expectNodes);
      simulation.run(simulation.between(200, 2_500));
      slots.stream().filter(slot -> simulation.chance(30)).forEach(this::crash);
      slots.forEach(this::startUnlessRunning);
    }
    endFaults();
  }

  private void endFaults() {
    faulty = false;
    cluster.network().setFaults(SimNetwork.Faults.NONE);
    cluster.network().heal();
    slots.stream().filter(slot -> !cluster.running(slot)).forEach(this::start);
    simulation.run(10_000);
    emptyBlockedNodes();
    try {
      simulation.runUntil("all are members", this::allAreMembers, CALM_MILLIS);
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + describe(), e);
    }
  }

  /** Starts all slots at once without faults. */
  void runCalmly() {
    faulty = false;
    slots.forEach(this::start);
    simulation.runUntil("all are members", this::allAreMembers, 20_000);
  }

  private void injectFault() {
    NodeId slot = slots.get((int) simulation.between(0, slots.size() - 1));
    switch ((int) simulation.between(0, 9)) {
      case 0, 1, 2, 3 -> startUnlessRunning(slot);
      case 4 -> crash(slot);
      case 5 -> loseDisk(slot);
      case 6 -> partition((int) simulation.between(1, slots.size() - 1));
      case 7 -> cluster.network().heal();
      case 8 -> {
        if (cluster.running(slot)) {
          cluster.host(slot).process().pause(simulation.between(100, 8_000));
        }
      }
      default -> slots.forEach(this::startUnlessRunning);
    }
  }

  private void startUnlessRunning(NodeId slot) {
    if (!cluster.running(slot)) {
      start(slot);
    }
  }

  private void start(NodeId slot) {
    started.add(slot);
    SimHost host = cluster.start(slot);
    SimWaitingNode node =
        new SimWaitingNode(
            this, host, addresses.onStart(slot), defects.expectNodes(scenario.expectNodes));
    running.put(slot.value(), node);
    host.process().execute(node::start);
  }

  private void crash(NodeId slot) {
    if (cluster.running(slot)) {
      cluster.crash(slot);
      running.remove(slot.value());
      addresses.onEnd(slot);
    }
  }

  private void loseDisk(NodeId slot) {
    if (losses < scenario.maxLosses) {
      losses++;
      crash(slot);
      cluster.loseDisk(slot);
    }
  }

  private void partition(int size) {
    List<NodeId> shuffled = new ArrayList<>(slots);
    Collections.shuffle(shuffled, simulation.random());
    cluster.network().partition(slots, shuffled.subList(0, size));
  }

  /** Crashes the node with some probability while there are faults. */
  boolean crashesAt(NodeId slot) {
    if (faulty && simulation.chance(CRASH_PERCENT)) {
      crash(slot);
      return true;
    }
    return !cluster.running(slot);
  }

  private void check() {
    Set<String> existing = new TreeSet<>();
    for (NodeId slot : slots) {
      NodeIdentity identity = SimWaitingNode.identityOn(cluster.disk(slot));
      FormingState state = SimWaitingNode.stateOn(cluster.disk(slot));
      if (identity != null) {
        existing.add(identity.clusterId());
      }
      if (state != null && state.clusterId() != null) {
        existing.add(state.clusterId());
      }
    }
    if (existing.size() > 1) {
      throw new AssertionError("there are two clusters: " + existing + describe());
    }
    clusters.addAll(existing);
    if (!existing.isEmpty() && started.size() < scenario.expectNodes) {
      throw new AssertionError(
          "a cluster was founded when only " + started.size() + " nodes had been started");
    }
  }

  /**
   * Does what the nodes ask the operator to do: if a promise or an identity refers to a founder
   * that does not exist anymore, and nobody is a member, empties the disk.
   */
  private void emptyBlockedNodes() {
    if (slots.stream().anyMatch(slot -> SimWaitingNode.hasMetadata(cluster.disk(slot)))) {
      return;
    }
    Set<NodeId> existing = new HashSet<>();
    for (NodeId slot : slots) {
      FormingState state = SimWaitingNode.stateOn(cluster.disk(slot));
      if (state != null) {
        existing.add(state.node());
      }
    }
    for (NodeId slot : slots) {
      FormingState state = SimWaitingNode.stateOn(cluster.disk(slot));
      boolean joins = SimWaitingNode.identityOn(cluster.disk(slot)) != null;
      Promise promise = state == null || joins ? null : state.promise();
      NodeId lost =
          promise == null || existing.contains(promise.proposer()) ? null : promise.proposer();
      if (lost != null || joins) {
        SimWaitingNode node = running.get(slot.value());
        if (lost != null && (node == null || !node.progress().contains(lost.value()))) {
          throw new AssertionError("does not say what it waits for" + describe());
        }
        blocked = true;
        crash(slot);
        cluster.loseDisk(slot);
        start(slot);
      }
    }
  }

  private boolean allAreMembers() {
    return running.size() == slots.size()
        && running.values().stream().allMatch(SimWaitingNode::isMember);
  }

  private String describe() {
    StringBuilder text = new StringBuilder();
    for (NodeId slot : slots) {
      SimWaitingNode node = running.get(slot.value());
      text.append("\n  ")
          .append(slot)
          .append(node == null ? " stopped, " : " running, ")
          .append(SimWaitingNode.identityOn(cluster.disk(slot)))
          .append(", ")
          .append(SimWaitingNode.stateOn(cluster.disk(slot)))
          .append(node == null ? "" : ", " + node.progress());
    }
    return text.toString();
  }

  @Override
  public void close() {
    cluster.close();
  }
}
