package io.fjordmq.router;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.Topic;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimProcess;
import io.fjordmq.cluster.consensus.sim.Simulation;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.client.RangeClientSettings;
import io.fjordmq.range.sim.SimCounts;
import io.fjordmq.range.sim.SimStore;
import io.fjordmq.range.sim.SimTransport;
import io.fjordmq.range.sim.Trouble;
import io.fjordmq.range.sim.WriteHistory;
import io.fjordmq.range.store.ReplicaStatus;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * One seed's run: the nodes' routers add and remove routes while messages get lost, nodes crash,
 * disks fill up and leaders change; then there is peace, and everybody must agree. After every
 * event that changed something, every topic is matched on the nodes it changed on.
 */
final class RouterSimulation {
  private static final List<String> TENANTS = List.of("t", "u");
  private static final List<Topic> TOPICS =
      List.of(new Topic("a"), new Topic("a/b"), new Topic("b/c"), new Topic("$x/a"));
  private static final int ROUNDS = 25;
  private static final long PATIENCE_MILLIS = 60_000;

  private static final RangeClientSettings CLIENT =
      new RangeClientSettings(
          1_000,
          4_000,
          6,
          5,
          Duration.ofMillis(4),
          3,
          30,
          20_000,
          8,
          Duration.ofMillis(800),
          Duration.ofMillis(200),
          Duration.ofMillis(5),
          Duration.ofMillis(100),
          Duration.ofMillis(400));

  /**
   * How a run differs from the usual.
   *
   * @param matching how a node matches
   */
  record Setup(int voters, SimTransport.Factory transport, MatchingFactory matching) {
    static Setup of(int voters) {
      return new Setup(voters, SimTransport::new, (simulation, router) -> router::match);
    }
  }

  /** {@link Router#match}, or what a test makes of it. */
  interface Matching {
    MatchedRoutes match(String tenant, Topic topic);
  }

  interface MatchingFactory {
    Matching create(Simulation simulation, Router router);
  }

  private final Simulation simulation;
  private final SimCluster cluster;
  private final Setup setup;
  private final SimStore store;
  private final Trouble trouble;
  private final SimCounts counts;
  private final List<NodeId> nodes = new ArrayList<>();
  private final RouterSettings settings;
  private final WriteHistory<RouteId, SubscriptionOptions> history = new WriteHistory<>();
  private final RouteTruth truth = new RouteTruth(history);
  private final Map<NodeId, RangedRouter.Replicas> replicas = new HashMap<>();
  private final Map<NodeId, Life> lives = new HashMap<>();
  private final Map<ByteBuffer, Route> decoded = new HashMap<>();
  private long seenAcknowledgements;

  /**
   * A node from its start to its crash.
   *
   * @param floors the last write to each route that it must know
   */
  private record Life(
      int incarnation, SimRouting routing, Matching matching, Map<RouteId, Integer> floors) {}

  RouterSimulation(long seed, Setup setup, Path installs, SimCounts counts) {
    this.simulation = new Simulation(seed);
    this.cluster = new SimCluster(simulation);
    this.setup = setup;
    this.counts = counts;
    this.settings =
        new RouterSettings(2, simulation.chance(50) ? 3 : 1_000, RouterSettings.Barrier.DEFAULTS);
    IntStream.range(0, setup.voters).forEach(i -> nodes.add(new NodeId("node" + i)));
    store = new SimStore(cluster, nodes, installs, this::spec, counts);
    trouble = new Trouble(cluster, store, nodes, this::started);
    simulation.afterEveryEvent(this::check);
  }

  private StoreSpec spec(NodeId node) {
    RangedRouter.Replicas opened = new RangedRouter.Replicas(settings);
    replicas.put(node, opened);
    return RangedRouter.spec(settings, opened);
  }

  private void started(SimProcess process) {
    NodeId node = process.node();
    Life before = lives.get(node);
    int incarnation = before == null ? 1 : before.incarnation + 1;
    RangedRouter router =
        new RangedRouter(
            store.client(process, CLIENT, setup.transport),
            Objects.requireNonNull(replicas.get(node)));
    SimRouting routing = new SimRouting(process, router, history, incarnation);
    Matching matching = setup.matching.create(simulation, router);
    lives.put(node, new Life(incarnation, routing, matching, new HashMap<>()));
    routing.start();
  }

  /**
   * @return how many events it took, which differs as soon as anything does
   * @throws AssertionError naming the seed if a promise is broken
   */
  long run() throws IOException {
    try (cluster) {
      trouble.begin();
      for (int round = 0; round < ROUNDS; round++) {
        trouble.some();
        split();
        simulation.run(simulation.between(1, 150));
      }
      peace();
    }
    counts.acknowledgements += history.acknowledgements();
    return simulation.executedEvents();
  }

  /** Before a route that there is or was, or anywhere. */
  private void split() {
    NodeId node = nodes.get((int) simulation.between(0, nodes.size() - 1));
    if (store.isUp(node) && simulation.chance(15)) {
      List<RouteId> routes = List.copyOf(history.keys());
      byte[] key =
          routes.isEmpty() || simulation.chance(30)
              ? new byte[] {(byte) simulation.between(1, 255), 0}
              : RouteCodec.key(routes.get((int) simulation.between(0, routes.size() - 1)));
      store.split(node, key);
    }
  }

  private void peace() throws IOException {
    trouble.end();
    List<SimRouting> routings = lives.values().stream().map(Life::routing).toList();
    routings.forEach(SimRouting::rest);
    simulation.runUntil(
        "all are answered", () -> routings.stream().allMatch(SimRouting::isDone), PATIENCE_MILLIS);
    simulation.run(CLIENT.registerAgainAfter().toMillis() + 1); // then nobody is forgotten
    int failedBefore = failures(routings);
    routings.forEach(SimRouting::lastWord);
    simulation.runUntil(
        "all last changes are answered",
        () -> routings.stream().allMatch(SimRouting::isDone),
        PATIENCE_MILLIS);
    assertThat(failures(routings) - failedBefore).as("failures in peace").isZero();
    simulation.runUntil("all replicas are equally far", this::allEquallyFar, PATIENCE_MILLIS);
    lives.values().forEach(life -> history.keys().forEach(key -> raiseFloor(life, key)));
    nodes.forEach(this::check);
    assertThat(nodes.stream().map(this::rows).distinct().count())
        .as("different sets of rows")
        .isEqualTo(1);
  }

  private static int failures(List<SimRouting> routings) {
    return routings.stream().mapToInt(SimRouting::failures).sum();
  }

  private boolean allEquallyFar() {
    return nodes.stream().allMatch(store::isInService)
        && nodes.stream()
                .map(node -> store.status(node).stream().map(ReplicaStatus::appliedIndex).toList())
                .distinct()
                .count()
            == 1;
  }

  private void check() {
    Set<NodeId> changed = new HashSet<>(store.takeChanged());
    if (seenAcknowledgements != history.acknowledgements()) {
      seenAcknowledgements = history.acknowledgements();
      for (RangeDescriptor range : store.ranges()) {
        NodeId told = store.lastLeader(range.id());
        if (told != null) {
          changed.add(told);
        }
      }
    }
    changed.stream().filter(store::isUp).forEach(this::check);
  }

  private void check(NodeId node) {
    Life life = lives.get(node);
    if (life == null) {
      return;
    }
    List<RangeDescriptor> now = store.ranges();
    for (RouteId key : history.keys()) {
      RangeId range = rangeOf(key, now);
      if (node.equals(store.lastLeader(range))) {
        raiseFloor(life, key);
      }
    }
    Set<Route> rows = store.isInService(node) ? rows(node) : null;
    for (String tenant : TENANTS) {
      for (Topic topic : TOPICS) {
        MatchedRoutes matched = life.matching.match(tenant, topic);
        truth.assertAllows(matched, tenant, topic, key -> life.floors.getOrDefault(key, 0));
        if (rows != null) {
          RouteTruth.assertSays(matched, rows, tenant, topic);
        }
      }
    }
  }

  private void raiseFloor(Life life, RouteId key) {
    life.floors.put(key, history.lastAcknowledged(key));
  }

  private static RangeId rangeOf(RouteId key, List<RangeDescriptor> now) {
    byte[] bytes = RouteCodec.key(key);
    return now.stream()
        .filter(range -> range.interval().contains(bytes))
        .findFirst()
        .orElseThrow()
        .id();
  }

  private Set<Route> rows(NodeId node) {
    Set<Route> rows = new HashSet<>();
    store.scan(
        node,
        (key, value) -> {
          ByteBuffer both = ByteBuffer.allocate(key.length + value.length).put(key).put(value);
          rows.add(decoded.computeIfAbsent(both.flip(), row -> RouteCodec.decode(key, value)));
          return true;
        });
    return rows;
  }
}
