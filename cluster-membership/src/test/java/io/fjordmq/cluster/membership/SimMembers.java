package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimHost;
import io.fjordmq.cluster.consensus.sim.SimNetwork;
import io.fjordmq.cluster.consensus.sim.Simulation;
import io.fjordmq.cluster.membership.SimNode.Defect;
import io.fjordmq.cluster.peer.LoopbackPeers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The memberships of several simulated nodes, their troubles, and what must hold meanwhile. */
final class SimMembers implements AutoCloseable {
  private static final long CALM_MILLIS = 60_000;
  private static final int MOST_REMOVALS = 3;
  private static final long MOST_STILL_MILLIS = 8_000;

  /** Some nodes take this long to start: longer than several leases. */
  private static final long SLOW_START_MILLIS = 15_000;

  private static final int SLOW_STARTS_PERCENT = 15;

  /** Long enough for one of the two to go, and to come back if it were not kept from it. */
  private static final long MOST_CUT_MILLIS = 25_000;

  private final Simulation simulation;
  private final SimCluster cluster;
  private final LoopbackPeers peers;
  private final Defects defects;
  private final List<NodeId> nodes = new ArrayList<>();
  private final Map<String, SimNode> running = new TreeMap<>();
  private final ServingInvariant serving = new ServingInvariant();
  private final Map<NodeId, Long> lastIncarnation = new HashMap<>();
  private final Set<NodeId> created = new HashSet<>();
  private final Set<Ready> ready = new HashSet<>();
  private final Map<NodeId, Members> checked = new HashMap<>();
  private final Map<NodeId, Long> disturbed = new HashMap<>();
  private long admissions;
  private long livesEnded;
  private int removals;
  private boolean slowStarts = true;

  /** An incarnation in which the node could answer barriers. */
  private record Ready(NodeId node, long incarnation) {}

  /** What is wrong with which node. */
  interface Defects {
    Defect of(int node);
  }

  /** Sums over many runs. */
  static final class Totals {
    private long admissions;
    private long livesEnded;
    private long removals;

    void add(SimMembers run) {
      removals += run.serving.removed().size();
      admissions += run.admissions;
      livesEnded += run.livesEnded;
    }

    long admissions() {
      return admissions;
    }

    long livesEnded() {
      return livesEnded;
    }

    long removals() {
      return removals;
    }
  }

  SimMembers(long seed, int size, Defects defects) {
    this.defects = defects;
    simulation = new Simulation(seed);
    cluster = new SimCluster(simulation);
    peers = LoopbackPeers.simulated(cluster.network());
    for (int i = 0; i < size; i++) {
      nodes.add(new NodeId("n" + i));
    }
    simulation.afterEveryEvent(this::check);
  }

  /** A first node, others that join it, two minutes of trouble, then calm. */
  void play() {
    cluster.network().setFaults(SimNetwork.Faults.ROUGH);
    start(nodes.get(0));
    for (int i = 0; i < 400; i++) {
      trouble();
      simulation.run(simulation.between(1, 600));
    }
    cluster.network().setFaults(SimNetwork.Faults.NONE);
    cluster.network().heal();
    slowStarts = false;
    List.copyOf(nodes).forEach(this::startUnlessRunning);
    try {
      simulation.runUntil("every node serves", this::allServe, CALM_MILLIS);
      simulation.runUntil("the right number votes", this::rightVoters, CALM_MILLIS);
      simulation.runUntil("who was removed knows", this::removedKnow, CALM_MILLIS);
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + where(), e);
    }
  }

  /** The nodes join one after the other over a network that only takes its time. */
  void playInPeace() {
    cluster.network().setFaults(SimNetwork.Faults.NONE);
    for (NodeId node : nodes) {
      start(node);
      simulation.run(simulation.between(4_000, 10_000)); // longer than a lease
    }
    simulation.runUntil("every node serves", this::allServe, CALM_MILLIS);
    for (SimNode life : running.values()) {
      if (life.membership().incarnation() != 1) {
        throw new AssertionError(
            life.membership().self()
                + " has lost a life in peace: it is in its "
                + life.membership().incarnation()
                + "th");
      }
    }
  }

  /**
   * Clocks are set and machines suspended, of one node or of all, while leaders change and nodes
   * crash; all clocks are right in the end.
   */
  void playWithClocks() {
    slowStarts = false;
    cluster.network().setFaults(SimNetwork.Faults.ROUGH);
    nodes.forEach(
        node -> {
          start(node);
          simulation.run(1_000);
        });
    simulation.runUntil("every node serves", this::allServe, CALM_MILLIS);
    ClusterTimeInvariant time = new ClusterTimeInvariant(simulation.clock());
    simulation.afterEveryEvent(() -> time.check(memberships()));
    for (int i = 0; i < 200; i++) {
      if (simulation.chance(60)) {
        time.mayLose(clockTrouble());
      } else if (allServe() && simulation.chance(30)) {
        crash(nodes.get((int) simulation.between(0, nodes.size() - 1)));
      } else {
        nodes.forEach(this::startUnlessRunning);
      }
      simulation.run(simulation.between(1, 2_000));
    }
    cluster.network().setFaults(SimNetwork.Faults.NONE);
    nodes.forEach(this::startUnlessRunning);
    nodes.forEach(node -> cluster.machine(node).correct());
    simulation.runUntil("every node serves", this::allServe, CALM_MILLIS);
    time.mustGoOn(memberships());
    simulation.run(CALM_MILLIS);
    time.mustHaveGoneOn(memberships(), CALM_MILLIS);
  }

  /** Returns for how long cluster time may have stood still by it. */
  private long clockTrouble() {
    boolean all = simulation.chance(20);
    NodeId one = nodes.get((int) simulation.between(0, nodes.size() - 1));
    List<NodeId> whom =
        nodes.stream().filter(node -> (all || node.equals(one)) && isUndisturbed(node)).toList();
    whom.forEach(node -> disturbed.put(node, simulation.now()));
    if (simulation.chance(60)) {
      long most = simulation.chance(50) ? 86_400_000 : 5_000;
      long jump = simulation.between(-most, most);
      whom.forEach(node -> cluster.machine(node).jump(jump));
      return 2_000; // until a renewal, each may have to be repeated
    }
    long still = simulation.between(100, MOST_STILL_MILLIS);
    whom.forEach(
        node -> {
          SimNode life = running.get(node.value());
          if (life != null) {
            cluster.machine(node).suspend(life.host().process(), still);
          }
        });
    return still;
  }

  /** A clock set back by as much as the machine was suspended hides that, in one lease. */
  private boolean isUndisturbed(NodeId node) {
    Long last = disturbed.get(node);
    return last == null || simulation.now() - last > MOST_STILL_MILLIS + 4_000;
  }

  private List<ClusterMembership> memberships() {
    return running.values().stream().map(SimNode::membership).toList();
  }

  /**
   * Two nodes that both reach the leader of the metadata are cut apart: one of them goes, is not
   * counted before they reach each other again, and nobody else notices.
   */
  void playWithCutPairs() {
    slowStarts = false;
    cluster.network().setFaults(new SimNetwork.Faults(0, 0, 0, 15, 3));
    nodes.forEach(
        node -> {
          start(node);
          simulation.runUntil("it serves", this::runningServe, CALM_MILLIS);
        });
    simulation.runUntil("the right number votes", this::rightVoters, CALM_MILLIS);
    for (int i = 0; i < 3; i++) {
      cutPair();
      simulation.run(simulation.between(1, 20_000));
    }
  }

  private void cutPair() {
    List<NodeId> others = new ArrayList<>(nodes);
    others.removeIf(this::leadsMetadata);
    Collections.shuffle(others, simulation.random());
    CutPair pair = new CutPair(others.get(0), others.get(1), memberships());
    cluster.network().cut(pair.one(), pair.other());
    if (simulation.chance(60)) {
      cluster.network().cut(pair.other(), pair.one());
    }
    for (long end = simulation.now() + MOST_CUT_MILLIS; simulation.now() < end; ) {
      simulation.run(100);
      pair.check(memberships());
    }
    pair.mustHaveEndedOne(memberships());
    cluster.network().heal();
    simulation.runUntil("every node serves", this::allServe, CALM_MILLIS);
    pair.mustHaveEndedOne(memberships());
  }

  private boolean leadsMetadata(NodeId node) {
    return Objects.requireNonNull(running.get(node.value())).group().leadership().leading();
  }

  private boolean runningServe() {
    return memberships().stream().allMatch(ClusterMembership::isServing);
  }

  /** The only node stands still now and then, for longer than a lease. */
  void playAlone() {
    start(nodes.get(0));
    simulation.runUntil("it serves", this::allServe, CALM_MILLIS);
    SimNode life = Objects.requireNonNull(running.get(nodes.get(0).value()));
    for (int i = 0; i < 20; i++) {
      life.host().process().pause(simulation.between(4_000, 20_000));
      for (int step = 0; step < 300; step++) {
        simulation.run(100);
        if (!life.membership().isServing() || life.membership().incarnation() != 1) {
          throw new AssertionError(
              "alone, and yet "
                  + life.membership().notServingBecause()
                  + ", incarnation "
                  + life.membership().incarnation());
        }
      }
    }
  }

  private void trouble() {
    if (removals < MOST_REMOVALS && simulation.chance(3)) {
      removeOneThatIsDown();
    }
    NodeId node = nodes.get((int) simulation.between(0, nodes.size() - 1));
    SimNode life = running.get(node.value());
    if (life == null) {
      if (simulation.chance(30)) {
        startUnlessRunning(node);
      }
    } else if (simulation.chance(3)) {
      crash(node);
    } else if (simulation.chance(4)) {
      life.host().process().pause(simulation.between(500, 8_000));
    } else if (simulation.chance(4)) {
      cluster.network().partition(nodes, List.of(node));
    } else if (simulation.chance(3)) {
      cluster.network().cut(node, nodes.get((int) simulation.between(0, nodes.size() - 1)));
    } else if (simulation.chance(25)) {
      cluster.network().heal();
    }
  }

  /** A node that somebody sees as DOWN, whether it is or not; a new one shall take its place. */
  private void removeOneThatIsDown() {
    for (SimNode life : running.values()) {
      Members seen = life.membership().members();
      for (NodeId node : nodes) {
        Member member = seen.find(node);
        if (member != null && !member.isAlive()) {
          removals++;
          life.membership().remove(node);
          nodes.add(new NodeId("n" + nodes.size()));
          return;
        }
      }
    }
  }

  private void startUnlessRunning(NodeId node) {
    if (!cluster.running(node)) {
      start(node);
    }
  }

  private void start(NodeId node) {
    ReplicaSet members = members(node);
    if (members == null) {
      return; // nobody answers it
    }
    try {
      SimHost host = cluster.start(node);
      SimNode started =
          SimNode.start(host, peers, members, seeds(node), defects.of(nodes.indexOf(node)));
      created.add(node);
      running.put(node.value(), started);
      Watching watching = new Watching(started.membership());
      started.membership().watch(watching);
      if (defects.of(nodes.indexOf(node)).isHasty()) {
        started.membership().ready();
      }
      simulation.schedule(
          startMillis(),
          () -> {
            if (running.get(node.value()) == started) {
              watching.ready = true;
              started.membership().ready();
            }
          });
    } catch (ConsensusException | IOException e) {
      throw new AssertionError(node + " does not start", e);
    }
  }

  private long startMillis() {
    boolean slow = slowStarts && simulation.chance(SLOW_STARTS_PERCENT);
    return simulation.between(0, slow ? SLOW_START_MILLIS : 2_000);
  }

  /** Who holds the metadata, as whoever a newcomer asks knows. */
  private @Nullable ReplicaSet members(NodeId node) {
    if (created.contains(node) || node.equals(nodes.get(0))) {
      return ReplicaSet.ofVoters(nodes.get(0));
    }
    for (SimNode seed : running.values()) {
      if (serving.removed().contains(seed.membership().self())) {
        continue;
      }
      ReplicaSet replicas = seed.group().status().replicas();
      if (!replicas.learners().contains(node) && !replicas.voters().contains(node)) {
        return replicas;
      }
    }
    return null;
  }

  /** Its file names who is there when it starts: by what it has it may know nobody of them. */
  private List<NodeId> seeds(NodeId node) {
    return running.values().stream()
        .map(life -> life.membership().self())
        .filter(other -> !other.equals(node) && !serving.removed().contains(other))
        .toList();
  }

  private void crash(NodeId node) {
    running.remove(node.value());
    peers.start(node).end();
    cluster.crash(node);
  }

  @Override
  public void close() {
    cluster.close();
  }

  // ---- what must hold

  private void check() {
    serving.check(memberships());
    running.values().forEach(this::checkCounted);
  }

  /** Nobody waits for a node that is not ready to answer. */
  private void checkCounted(SimNode seeing) {
    Members members = seeing.membership().members();
    if (checked.put(seeing.membership().self(), members) == members) {
      return;
    }
    for (Member member : members.byNode().values()) {
      if (member.isCounted() && !ready.contains(new Ready(member.node(), member.incarnation()))) {
        throw new AssertionError(
            "%s counts %s, which has not been ready in this life"
                .formatted(seeing.membership().self(), member));
      }
    }
  }

  private boolean allServe() {
    return members()
        .allMatch(
            node -> {
              SimNode life = running.get(node.value());
              return life != null && life.membership().isServing();
            });
  }

  /** How every node sees it, for whoever has to find out why. */
  private String where() {
    StringBuilder text = new StringBuilder("\nremoved: " + serving.removed());
    running.forEach(
        (name, life) ->
            text.append(
                "\n%s: %s; %s, led by %s; %s"
                    .formatted(
                        name,
                        life.membership().notServingBecause(),
                        life.group().status().replicas(),
                        life.group().leadership(),
                        life.membership().members())));
    return text.toString();
  }

  private Stream<NodeId> members() {
    return nodes.stream().filter(node -> !serving.removed().contains(node));
  }

  private boolean removedKnow() {
    return serving.removed().stream()
        .map(node -> running.get(node.value()))
        .filter(Objects::nonNull)
        .allMatch(life -> NodeLease.REMOVED_MESSAGE.equals(life.membership().notServingBecause()));
  }

  private boolean rightVoters() {
    int size = (int) members().count();
    int wanted = MetadataReplicas.wantedVoters(size);
    return members()
        .map(node -> Objects.requireNonNull(running.get(node.value())))
        .allMatch(
            life -> {
              ReplicaSet replicas = life.group().status().replicas();
              return replicas.voters().size() == wanted
                  && replicas.learners().size() == size - wanted;
            });
  }

  /** What is above the membership of one node: takes its time, and fails now and then. */
  private final class Watching implements MembershipListener {
    private final ClusterMembership membership;
    private final SimNode life;
    private long admitted;
    private boolean ready;

    Watching(ClusterMembership membership) {
      this.membership = membership;
      this.life = Objects.requireNonNull(running.get(membership.self().value()));
    }

    @Override
    public CompletableFuture<Void> beforeAdmission(long incarnation) {
      return later(simulation.chance(10)).thenRun(() -> noteReady(incarnation));
    }

    private void noteReady(long incarnation) {
      if (ready) {
        SimMembers.this.ready.add(new Ready(membership.self(), incarnation));
      }
    }

    @Override
    public void admitted(long incarnation) {
      admissions++;
      admitted = incarnation;
      Long before = lastIncarnation.put(membership.self(), incarnation);
      if (before != null && before >= incarnation) {
        throw new AssertionError(
            membership.self() + " lives its life " + incarnation + " after " + before);
      }
    }

    @Override
    public CompletableFuture<Void> incarnationEnded(long incarnation) {
      livesEnded++;
      if (admitted > incarnation) {
        throw new AssertionError(incarnation + " ends after " + admitted + " was admitted");
      }
      return later(false);
    }

    private CompletableFuture<Void> later(boolean failing) {
      CompletableFuture<Void> done = new CompletableFuture<>();
      Runnable end =
          () -> {
            if (failing) {
              done.completeExceptionally(new IllegalStateException("not now"));
            } else {
              done.complete(null);
            }
          };
      life.host().process().schedule(simulation.between(0, 700), end);
      return done;
    }
  }
}
