package io.fjordmq.router.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.Topic;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimProcess;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.client.RangeClientSettings;
import io.fjordmq.range.sim.FaultInjector;
import io.fjordmq.range.sim.RangeSimSettings;
import io.fjordmq.range.sim.SimCounts;
import io.fjordmq.range.sim.SimStore;
import io.fjordmq.range.sim.SimTransport;
import io.fjordmq.range.sim.WriteHistory;
import io.fjordmq.range.store.ReplicaStatus;
import io.fjordmq.router.MatchedRoutes;
import io.fjordmq.router.RouteId;
import io.fjordmq.router.RouteKeys;
import io.fjordmq.router.RouteReplicas;
import io.fjordmq.router.RouteRow;
import io.fjordmq.router.RouteSettings;
import io.fjordmq.router.RouteStore;
import io.fjordmq.testing.Simulation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The run of one seed: the routers of the nodes add and remove routes while messages are lost,
 * nodes crash, disks fill up and leaders change; in the fault-free phase that follows, all replicas
 * must agree. After every event that changed something, every topic is matched on the nodes that it
 * changed on.
 */
final class RouteSimulation {
  private static final List<String> TENANTS = List.of("t", "u");
  private static final List<Topic> TOPICS =
      List.of(new Topic("a"), new Topic("a/b"), new Topic("b/c"), new Topic("$x/a"));
  private static final int ROUNDS = 25;
  private static final long TIMEOUT_MILLIS = 60_000;

  private static final RangeClientSettings CLIENT = RangeSimSettings.CLIENT;

  /**
   * How a run differs from the default.
   *
   * @param matcherFactory creates the matcher of a node
   */
  record Setup(int voters, SimTransport.Factory transport, MatcherFactory matcherFactory) {
    static Setup of(int voters) {
      return new Setup(voters, SimTransport::new, (simulation, router) -> router::match);
    }
  }

  /** {@link RouteStore#match}, or a replacement planted by a test. */
  interface Matcher {
    MatchedRoutes match(String tenant, Topic topic);
  }

  interface MatcherFactory {
    Matcher create(Simulation simulation, RouteStore router);
  }

  private final Simulation simulation;
  private final SimCluster cluster;
  private final Setup setup;
  private final SimStore store;
  private final FaultInjector faultInjector;
  private final SimCounts counts;
  private final List<NodeId> nodes = new ArrayList<>();
  private final RouteSettings settings;
  private final WriteHistory<RouteId, SubscriptionOptions> history = new WriteHistory<>();
  private final ExpectedRoutes expectedRoutes = new ExpectedRoutes(history);
  private final Map<NodeId, RouteReplicas> replicas = new HashMap<>();
  private final Map<NodeId, NodeProcess> nodeProcesses = new HashMap<>();
  private final Map<ByteBuffer, ExpectedRoutes.Row> decodedRows = new HashMap<>();
  private final Map<RouteId, byte[]> encodedKeys = new HashMap<>();
  private long checkedAcknowledgements;

  /**
   * A process of a node.
   *
   * @param minPositions position of the latest write to each route that the node must know
   */
  private record NodeProcess(
      int incarnation,
      SimRouteClient routeClient,
      Matcher matcher,
      Map<RouteId, Integer> minPositions) {}

  RouteSimulation(long seed, Setup setup, Path installDirectory, SimCounts counts) {
    this.simulation = new Simulation(seed);
    this.cluster = new SimCluster(simulation);
    this.setup = setup;
    this.counts = counts;
    this.settings =
        new RouteSettings(2, simulation.chance(50) ? 3 : 1_000, RouteSettings.Barrier.DEFAULTS);
    IntStream.range(0, setup.voters).forEach(i -> nodes.add(new NodeId("node" + i)));
    store = new SimStore(cluster, nodes, installDirectory, this::spec, counts);
    faultInjector = new FaultInjector(cluster, store, nodes, this::onStarted);
    simulation.afterEveryEvent(this::check);
  }

  private StoreSpec spec(NodeId node) {
    RouteReplicas opened = new RouteReplicas(settings);
    replicas.put(node, opened);
    return opened.spec();
  }

  private void onStarted(SimProcess process) {
    NodeId node = process.node();
    NodeProcess before = nodeProcesses.get(node);
    int incarnation = before == null ? 1 : before.incarnation + 1;
    ReplicatedRouteStore router =
        new ReplicatedRouteStore(
            store.client(process, CLIENT, setup.transport),
            Objects.requireNonNull(replicas.get(node)));
    SimRouteClient routing = new SimRouteClient(process, router, history, incarnation);
    Matcher matching = setup.matcherFactory.create(simulation, router);
    nodeProcesses.put(node, new NodeProcess(incarnation, routing, matching, new HashMap<>()));
    routing.start();
  }

  /**
   * @return the number of events, which differs as soon as anything else does
   * @throws AssertionError if an invariant is violated; names the seed
   */
  long run() throws IOException {
    try (cluster) {
      faultInjector.startNodes();
      for (int round = 0; round < ROUNDS; round++) {
        faultInjector.injectFault();
        split();
        simulation.run(simulation.between(1, 150));
      }
      awaitAgreement();
    }
    counts.acknowledgements += history.acknowledgements();
    return simulation.executedEvents();
  }

  /** Splits a range before an existing or former route, or at a random key. */
  private void split() {
    NodeId node = nodes.get((int) simulation.between(0, nodes.size() - 1));
    if (store.isUp(node) && simulation.chance(15)) {
      List<RouteId> routes = List.copyOf(history.keys());
      byte[] key =
          routes.isEmpty() || simulation.chance(30)
              ? new byte[] {(byte) simulation.between(1, 255), 0}
              : RouteKeys.of(routes.get((int) simulation.between(0, routes.size() - 1)));
      store.split(node, key);
    }
  }

  private void awaitAgreement() throws IOException {
    faultInjector.endFaults();
    List<SimRouteClient> routings =
        nodeProcesses.values().stream().map(NodeProcess::routeClient).toList();
    routings.forEach(SimRouteClient::stopRequests);
    simulation.runUntil(
        "all requests have completed",
        () -> routings.stream().allMatch(SimRouteClient::isDone),
        TIMEOUT_MILLIS);
    simulation.run(CLIENT.reregisterAfter().toMillis() + 1); // so that clients register again
    int failedBefore = failures(routings);
    routings.forEach(SimRouteClient::sendFinalRequests);
    simulation.runUntil(
        "all final changes have completed",
        () -> routings.stream().allMatch(SimRouteClient::isDone),
        TIMEOUT_MILLIS);
    assertThat(failures(routings) - failedBefore).as("failures without faults").isZero();
    simulation.runUntil("all replicas have caught up", this::allCaughtUp, TIMEOUT_MILLIS);
    nodeProcesses
        .values()
        .forEach(nodeProcess -> history.keys().forEach(key -> raiseMinPosition(nodeProcess, key)));
    nodes.forEach(this::check);
    assertThat(nodes.stream().map(this::rows).distinct().count())
        .as("different sets of rows")
        .isEqualTo(1);
  }

  private static int failures(List<SimRouteClient> routings) {
    return routings.stream().mapToInt(SimRouteClient::failures).sum();
  }

  private boolean allCaughtUp() {
    return nodes.stream().allMatch(store::isInService)
        && nodes.stream()
                .map(node -> store.status(node).stream().map(ReplicaStatus::appliedIndex).toList())
                .distinct()
                .count()
            == 1;
  }

  private void check() {
    Set<NodeId> changed = new HashSet<>(store.takeChanged());
    if (checkedAcknowledgements != history.acknowledgements()) {
      checkedAcknowledgements = history.acknowledgements();
      for (RangeDescriptor range : store.ranges()) {
        NodeId leader = store.lastLeader(range.id());
        if (leader != null) {
          changed.add(leader);
        }
      }
    }
    changed.stream().filter(store::isUp).forEach(this::check);
  }

  private void check(NodeId node) {
    NodeProcess nodeProcess = nodeProcesses.get(node);
    if (nodeProcess == null) {
      return;
    }
    List<RangeDescriptor> now = store.ranges();
    for (RouteId key : history.keys()) {
      RangeId range = rangeOf(key, now);
      if (node.equals(store.lastLeader(range))) {
        raiseMinPosition(nodeProcess, key);
      }
    }
    Set<ExpectedRoutes.Row> rows = store.isInService(node) ? rows(node) : null;
    for (String tenant : TENANTS) {
      for (Topic topic : TOPICS) {
        MatchedRoutes matched = nodeProcess.matcher.match(tenant, topic);
        expectedRoutes.assertPermitted(
            matched, tenant, topic, key -> nodeProcess.minPositions.getOrDefault(key, 0));
        if (rows != null) {
          ExpectedRoutes.assertMatchesRows(matched, rows, tenant, topic);
        }
      }
    }
  }

  private void raiseMinPosition(NodeProcess nodeProcess, RouteId key) {
    nodeProcess.minPositions.put(key, history.lastAcknowledged(key));
  }

  private RangeId rangeOf(RouteId key, List<RangeDescriptor> now) {
    byte[] bytes = encodedKeys.computeIfAbsent(key, RouteKeys::of);
    for (RangeDescriptor range : now) {
      if (range.interval().contains(bytes)) {
        return range.id();
      }
    }
    throw new AssertionError("no range contains " + key);
  }

  /** Rows with the same bytes are the same object, on all nodes. */
  private Set<ExpectedRoutes.Row> rows(NodeId node) {
    Set<ExpectedRoutes.Row> rows = new HashSet<>();
    store.scan(
        node,
        (key, value) -> {
          ByteBuffer both = ByteBuffer.allocate(key.length + value.length).put(key).put(value);
          rows.add(
              decodedRows.computeIfAbsent(
                  both.flip(), row -> new ExpectedRoutes.Row(RouteRow.decode(key, value), TOPICS)));
          return true;
        });
    return rows;
  }
}
