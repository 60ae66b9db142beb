package io.fjordmq.range.sim;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.GroupStatus;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimNetwork;
import io.fjordmq.cluster.consensus.sim.Simulation;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.membership.TestMembership;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeTransport;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.placement.PlacementSettings;
import io.fjordmq.range.placement.RangeDirectory;
import io.fjordmq.range.placement.StorePlacement;
import io.fjordmq.range.remote.PeerRangeTransport;
import io.fjordmq.range.store.RangeStore;
import io.fjordmq.range.store.ReplicaStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One seed's run: a cluster of three to five nodes begins with two ranges on one of them. While
 * clients append words, messages get lost, nodes crash, drain, are cut off, the number of voters is
 * changed, and one node leaves for good. Then there is peace, and everything must be where it
 * should be, with nothing lost or doubled.
 */
final class PlacementSimulation {
  private static final List<String> KEYS = List.of("a", "b", "c", "x", "y");
  private static final int CLIENTS = 2;
  private static final int ROUNDS = 25;
  private static final long PATIENCE_MILLIS = 30_000;
  private static final long REMOVED_AS_OF = 1_000_000;

  private final Simulation simulation;
  private final SimCluster cluster;
  private final LoopbackPeers peers;
  private final WordHistory history = new WordHistory();
  private final SimCounts counts;
  private final Defect defect;
  private final List<NodeId> ids = new ArrayList<>();
  private final Map<NodeId, PlacementNode> nodes =
      new TreeMap<>((a, b) -> a.value().compareTo(b.value()));
  private final Map<NodeId, Member.State> states = new HashMap<>();
  private final List<SimClient> clients = new ArrayList<>();
  private final List<RangeDescriptor> ranges;
  private final RandomWishes wishes;
  private final Set<String> asked = new HashSet<>();
  private final boolean onEveryNode;
  private int voters = 3;
  private @Nullable NodeId gone;
  private int probes;

  /** What may be wrong on purpose. */
  enum Defect {
    NONE,
    /** A leader answers queries without asking whether it still leads. */
    READS_UNCONFIRMED,
    /** Nodes remove replicas that their groups still have. */
    HASTY_DROPS
  }

  PlacementSimulation(long seed, Defect defect, Path installs, SimCounts counts) {
    this.simulation = new Simulation(seed);
    this.wishes = new RandomWishes(simulation, 40);
    this.cluster = new SimCluster(simulation);
    this.peers = LoopbackPeers.simulated(cluster.network());
    this.defect = defect;
    this.counts = counts;
    this.onEveryNode = simulation.chance(50);
    simulation.afterEveryEvent(history::assertUnviolated);
    long size = simulation.between(3, 5);
    for (int i = 0; i < size; i++) {
      ids.add(new NodeId("node" + i));
    }
    StoreSpec spec =
        new StoreSpec(
            "words",
            List.of("m".getBytes(UTF_8)),
            id -> new AppendingCoprocessor(),
            (range, effects) -> {});
    ranges = RangeStore.initialRanges(spec, ReplicaSet.ofVoters(ids.get(0)));
    ReplicaSet metadata =
        new ReplicaSet(new HashSet<>(ids.subList(0, 3)), new HashSet<>(ids.subList(3, ids.size())));
    for (NodeId id : ids) {
      StoreNode store =
          new StoreNode(
              cluster,
              peers,
              id,
              () -> List.of(spec),
              installs,
              (host, kv) ->
                  new WatchedHost(
                      host,
                      kv,
                      "words",
                      history,
                      counts,
                      this::removed,
                      defect == Defect.READS_UNCONFIRMED));
      nodes.put(id, new PlacementNode(store, metadata, this::settings, wishes));
      states.put(id, Member.State.DOWN);
    }
  }

  private PlacementSettings settings() {
    return new PlacementSettings(
        List.of(new StorePlacement("words", voters, onEveryNode)),
        Duration.ofMillis(200),
        Duration.ofMillis(20),
        Duration.ofMillis(200),
        Duration.ofSeconds(2),
        Duration.ofSeconds(1),
        Duration.ofMillis(500),
        4);
  }

  /**
   * @throws AssertionError naming the seed if a promise is broken
   */
  void run() {
    try (cluster) {
      begin();
      cluster.network().setFaults(SimNetwork.Faults.ROUGH);
      rounds();
      peace();
      leaveForGood();
      clients.forEach(SimClient::wake);
      cluster.network().setFaults(SimNetwork.Faults.ROUGH);
      rounds();
      peace();
      theEnd();
    } catch (IOException e) {
      throw new UncheckedIOException("seed " + simulation.seed(), e);
    } catch (ConsensusException e) {
      throw new AssertionError("seed " + simulation.seed(), e);
    }
  }

  /** As a broker does it: the first node has the ranges, publishes them, the others join. */
  private void begin() throws IOException, ConsensusException {
    for (NodeId id : ids) {
      start(id);
    }
    PlacementNode first = node(ids.get(0));
    first.ranges().store().createInitialRanges(ranges);
    simulation.runUntil("the metadata have a leader", () -> metadataLeader() != null, 20_000);
    CompletableFuture<WriteResult> published = write(RangeDirectory.first(ranges));
    simulation.runUntil("the ranges are published", published::isDone, 20_000);
    assertThat(published).isCompleted();
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(newClient(i));
    }
  }

  private SimClient newClient(int number) {
    NodeId id = new NodeId("client" + number);
    SimClient client =
        new SimClient(
            cluster, id, "c" + number, KEYS, ranges, history, counts, this::clientTransport);
    hear(client);
    return client;
  }

  private RangeTransport clientTransport(SimCluster ignored, NodeId client) {
    LoopbackPeers.Node calls = peers.start(client, cluster.host(client).process());
    return new PeerRangeTransport(
        client, new SimTransport(cluster, client), calls, Duration.ofMillis(200));
  }

  /** Clients hear of the ranges from one node or another. */
  private void hear(SimClient client) {
    PlacementNode source = node(ids.get((int) simulation.between(0, ids.size() - 1)));
    if (source.isUp()) {
      client.update(source.life().directory().ranges("words"));
    }
    client.process().schedule(simulation.between(50, 300), () -> hear(client));
  }

  private PlacementNode node(NodeId id) {
    return Objects.requireNonNull(nodes.get(id));
  }

  private void start(NodeId id) throws IOException, ConsensusException {
    PlacementNode.Life life = node(id).start();
    life.membership().onWrite(this::write);
    declare(id, Member.State.UP);
    states.forEach((other, state) -> tell(life.membership(), other, state));
    if (gone != null) {
      life.membership().remove(gone, REMOVED_AS_OF);
    }
  }

  /** The cluster's truth about a node; every node that runs hears it. */
  private void declare(NodeId id, Member.State state) {
    states.put(id, state);
    nodes.values().stream()
        .filter(PlacementNode::isUp)
        .forEach(node -> tell(node.life().membership(), id, state));
  }

  private static void tell(TestMembership membership, NodeId id, Member.State state) {
    membership.set(new Member(id, TestMembership.up(id, 1).address(), 1, state));
  }

  private CompletableFuture<WriteResult> write(List<Change> batch) {
    PlacementNode leader = metadataLeader();
    return leader == null
        ? CompletableFuture.failedFuture(
            new ConsensusException(ConsensusException.Kind.NOT_LEADER, "no leader"))
        : leader.life().metadata().write(batch);
  }

  private @Nullable PlacementNode metadataLeader() {
    return nodes.values().stream()
        .filter(node -> node.isUp() && node.life().metadata().leadership().leading())
        .findFirst()
        .orElse(null);
  }

  private void rounds() throws IOException, ConsensusException {
    wishes.rest(false);
    for (int round = 0; round < ROUNDS; round++) {
      trouble();
      simulation.run(simulation.between(1, 400));
    }
  }

  private void trouble() throws IOException, ConsensusException {
    NodeId id = ids.get((int) simulation.between(0, ids.size() - 1));
    PlacementNode node = node(id);
    if (id.equals(gone)) {
      return;
    } else if (!node.isUp()) {
      if (simulation.chance(50)) {
        start(id);
      }
    } else if (simulation.chance(15)) {
      crash(id);
    } else if (simulation.chance(15)) {
      declare(id, goingOrStaying());
    } else if (simulation.chance(15)) {
      voters = (int) simulation.between(1, 5);
    } else if (defect == Defect.HASTY_DROPS) {
      node.ranges().store().dropReplica(ranges.get(0).id(), Long.MAX_VALUE);
    }
    if (simulation.chance(30)) {
      split();
    }
    if (simulation.chance(12)) {
      cluster.network().partition(ids, List.of(id));
    } else if (simulation.chance(15)) {
      deposeUnnoticed(anyRange());
    } else if (simulation.chance(8)) {
      cluster.network().cut(id, ids.get((int) simulation.between(0, ids.size() - 1)));
    } else if (simulation.chance(35)) {
      cluster.network().heal();
    }
  }

  private RangeDescriptor anyRange() {
    List<RangeDescriptor> all = current();
    return all.get((int) simulation.between(0, all.size() - 1));
  }

  /** All ranges, as the node knows them that leads the metadata. */
  private List<RangeDescriptor> current() {
    PlacementNode leader = metadataLeader();
    List<RangeDescriptor> known =
        leader == null ? List.of() : leader.life().directory().ranges("words");
    return known.isEmpty() ? ranges : known;
  }

  private void split() {
    PlacementNode leader = metadataLeader();
    String key = KEYS.get((int) simulation.between(0, KEYS.size() - 1));
    RangeDescriptor range = anyRange();
    if (leader != null
        && range.interval().contains(key.getBytes(UTF_8))
        && !Arrays.equals(range.interval().start(), key.getBytes(UTF_8))) {
      asked.add(key);
      leader.life().driver().split(range.id(), key.getBytes(UTF_8)).thenRun(() -> counts.splits++);
    }
  }

  private Member.State goingOrStaying() {
    if (simulation.chance(50)) {
      return Member.State.UP;
    }
    return simulation.chance(50) ? Member.State.DRAINING : Member.State.LEAVING;
  }

  /** A leader hands over and is cut off at once from the other nodes, not from clients. */
  private void deposeUnnoticed(RangeDescriptor range) {
    ReplicaStatus leader = leaderOf(range.id());
    String key =
        KEYS.stream()
            .filter(k -> range.interval().contains(k.getBytes(UTF_8)))
            .findFirst()
            .orElse(null);
    if (key == null || leader == null || leader.voters().size() < 3) {
      return;
    }
    NodeId old = leader.node();
    NodeId next =
        ids.stream()
            .filter(id -> !id.equals(old))
            .filter(leader.voters()::contains)
            .findFirst()
            .orElseThrow();
    node(old).ranges().store().transferLeadership(range.id(), next);
    simulation.schedule(
        simulation.between(1, 25), () -> cluster.network().partition(ids, List.of(old)));
    ReadProbe probe = new ReadProbe(simulation, history, range.id(), key, ++probes, counts);
    for (int delay = 10; delay < 200; delay += 10) {
      simulation.schedule(
          delay,
          () -> {
            ReplicaStatus now = leaderOf(range.id());
            if (now != null && now.node().equals(next) && node(old).isUp()) {
              probe.go(node(next).ranges(), node(old).ranges());
            }
          });
    }
  }

  private void crash(NodeId id) {
    node(id).crash();
    simulation.schedule(
        simulation.between(200, 500),
        () -> {
          if (!node(id).isUp()) {
            declare(id, Member.State.DOWN);
          }
        });
  }

  /** With its disk; the others have a majority of everything, and hear of it sooner or later. */
  private void leaveForGood() {
    NodeId leaving = ids.get((int) simulation.between(0, ids.size() - 1));
    gone = leaving;
    crash(leaving);
    simulation.run(2_000);
    states.remove(leaving);
    for (NodeId id : ids) {
      simulation.schedule(
          simulation.between(0, 3_000),
          () -> {
            if (!id.equals(leaving) && node(id).isUp()) {
              node(id).life().membership().remove(leaving, REMOVED_AS_OF);
            }
          });
    }
  }

  private void peace() throws IOException, ConsensusException {
    clients.forEach(SimClient::rest);
    wishes.rest(true);
    cluster.network().heal();
    cluster.network().setFaults(SimNetwork.Faults.NONE);
    simulation.run(600); // crashes are noticed
    cluster.network().heal(); // of what was planned before there was peace
    for (NodeId id : ids) {
      if (!id.equals(gone)) {
        if (!node(id).isUp()) {
          start(id);
        }
        declare(id, Member.State.UP);
      }
    }
    voters = 3;
    try {
      simulation.runUntil("every range is where it should be", this::isAsWanted, PATIENCE_MILLIS);
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + where(), e);
    }
  }

  /** Who holds what, for whoever has to find out why. */
  private String where() {
    StringBuilder text = new StringBuilder();
    states.forEach((id, state) -> text.append("\n").append(id).append(' ').append(state));
    for (NodeId id : up()) {
      RangeStore store = node(id).ranges().store();
      for (ReplicaStatus replica : store.status()) {
        GroupStatus group = replica.group();
        text.append(
            "\n%s %s %s term %d at %d of %d: voters %s, learners %s"
                .formatted(
                    id,
                    replica.descriptor().id(),
                    replica.role(),
                    term(replica),
                    replica.appliedIndex(),
                    group == null ? -1 : group.lastIndex(),
                    replica.voters(),
                    replica.learners()));
      }
      text.append(
          "\n%s retired %s, metadata %s"
              .formatted(id, store.retired(), node(id).life().metadata().leadership()));
    }
    return text.toString();
  }

  private void theEnd() {
    awaitAnswers();
    simulation.run(SimClient.REGISTER_AGAIN_AFTER.toMillis() + 1);
    int failedBefore = failures();
    clients.forEach(SimClient::lastWord);
    awaitAnswers();
    assertThat(failures() - failedBefore)
        .as("seed %s: failures in peace", simulation.seed())
        .isZero();
    simulation.runUntil("all replicas have the same", this::areEqual, PATIENCE_MILLIS);
    clients.forEach(client -> counts.acknowledgements += client.acknowledgements());
    counts.wishes += current().stream().filter(this::beganByWish).count();
  }

  /** Nobody but the load of its parent has asked for it. */
  private boolean beganByWish(RangeDescriptor range) {
    byte[] start = range.interval().start();
    return wishes.wanted(start) && !asked.contains(new String(start, UTF_8));
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

  // ---- what must hold

  private Set<NodeId> up() {
    Set<NodeId> up = new HashSet<>(ids);
    up.removeIf(id -> !node(id).isUp());
    return up;
  }

  /** The replica of the range that leads in the latest term; null if none does. */
  private @Nullable ReplicaStatus leaderOf(RangeId range) {
    ReplicaStatus latest = null;
    for (NodeId id : up()) {
      ReplicaStatus replica = node(id).ranges().status(range);
      if (replica != null
          && replica.leading()
          && (latest == null || term(replica) > term(latest))) {
        latest = replica;
      }
    }
    return latest;
  }

  private static long term(ReplicaStatus replica) {
    GroupStatus group = replica.group();
    return group == null ? 0 : group.leadership().term();
  }

  /** A node removes its replica for ever: the group must not have it any more. */
  private void removed(NodeId node, GroupId group) {
    ReplicaStatus leader = leaderOf(StoredShapes.idOf(group));
    if (leader != null) {
      assertThat(leader.voters().contains(node) || leader.learners().contains(node))
          .as("%s removes its replica of %s, which the group counts on", node, group)
          .isFalse();
      counts.removals++;
    }
  }

  private boolean isAsWanted() {
    Map<NodeId, Integer> leads = new HashMap<>();
    for (RangeDescriptor range : current()) {
      ReplicaStatus leader = leaderOf(range.id());
      if (leader == null || !isAsWanted(range, leader)) {
        return false;
      }
      leads.merge(leader.node(), 1, Integer::sum);
    }
    return (current().size() > 2 || leads.size() == 2) // else no node leads both
        && StoredShapes.areWhole(current());
  }

  private boolean isAsWanted(RangeDescriptor range, ReplicaStatus leader) {
    Set<NodeId> up = up();
    boolean enough =
        up.size() >= voters
            ? leader.voters().size() == voters && up.containsAll(leader.voters())
            : leader.voters().containsAll(up);
    Set<NodeId> others = new HashSet<>(up);
    others.removeAll(leader.voters());
    boolean learning = leader.learners().equals(onEveryNode ? others : Set.of());
    return enough && learning && up.stream().allMatch(id -> isPublished(id, range, leader));
  }

  /** And nobody has a replica who should not. */
  private boolean isPublished(NodeId id, RangeDescriptor range, ReplicaStatus leader) {
    RangeDirectory.Published published = node(id).life().directory().ranges().get(range.id());
    boolean member = leader.voters().contains(id) || leader.learners().contains(id);
    return published != null
        && published.descriptor().epoch().version() == leader.descriptor().epoch().version()
        && published.descriptor().interval().equals(leader.descriptor().interval())
        && published.descriptor().replicas().voters().equals(leader.voters())
        && published.descriptor().replicas().learners().equals(leader.learners())
        && node(id).ranges().store().retired().isEmpty()
        && member == (node(id).ranges().status(range.id()) != null);
  }

  private boolean areEqual() {
    return current().stream().allMatch(this::areEqual);
  }

  private boolean areEqual(RangeDescriptor range) {
    ReplicaStatus leader = leaderOf(range.id());
    if (leader == null) {
      return false;
    }
    Set<NodeId> members = new HashSet<>(leader.voters());
    members.addAll(leader.learners());
    members.retainAll(up());
    return members.stream().map(id -> node(id).ranges().rows(range.id())).distinct().count() == 1;
  }
}
