package io.fjordmq.retain.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimProcess;
import io.fjordmq.common.MessageCodec;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeClient;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.client.RangeClientSettings;
import io.fjordmq.range.sim.FaultInjector;
import io.fjordmq.range.sim.RangeSimSettings;
import io.fjordmq.range.sim.SimCounts;
import io.fjordmq.range.sim.SimStore;
import io.fjordmq.range.sim.SimTransport;
import io.fjordmq.range.store.ReplicaStatus;
import io.fjordmq.retain.RetainKeys;
import io.fjordmq.retain.RetainReplicas;
import io.fjordmq.retain.RetainRow;
import io.fjordmq.retain.RetainSettings;
import io.fjordmq.retain.RetainStore;
import io.fjordmq.retain.client.ExpectedRetained.TenantTopic;
import io.fjordmq.testing.RecordBuilder;
import io.fjordmq.testing.Simulation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * The run of one seed: nodes put, clear and scan retained messages while messages are lost, nodes
 * crash, disks fill up and leaders change; in the fault-free phase that follows, all replicas must
 * agree. The rows of leaders are checked after every event that changed them.
 */
final class RetainSimulation {
  private static final int ROUNDS = 25;
  private static final long TIMEOUT_MILLIS = 60_000;
  private static final long SWEEP_MILLIS = 50;
  private static final long SMALL_LIMIT = 6;

  private static final RangeClientSettings CLIENT =
      RecordBuilder.from(RangeSimSettings.CLIENT).with(RangeClientSettings::maxQueries, 40).build();

  /**
   * How a run differs from the default.
   *
   * @param storeWrapper wraps the store of a node, to plant a defect
   * @param enforcesLimit false for a store without a limit
   */
  record Setup(
      int voters,
      SimTransport.Factory transport,
      UnaryOperator<RetainStore> storeWrapper,
      boolean enforcesLimit) {
    static Setup of(int voters) {
      return new Setup(voters, SimTransport::new, store -> store, true);
    }
  }

  private final Simulation simulation;
  private final SimCluster cluster;
  private final Setup setup;
  private final SimCounts counts;
  private final List<NodeId> nodes = new ArrayList<>();
  private final long maxMessages;
  private final RetainSettings settings;
  private final SimStore store;
  private final FaultInjector faultInjector;
  private final ExpectedRetained expectedRetained = new ExpectedRetained();
  private final List<Runnable> checks = new ArrayList<>();
  private final Map<NodeId, RetainReplicas> replicas = new HashMap<>();
  private final Map<NodeId, SimRetainClient> nodeProcesses = new HashMap<>();

  RetainSimulation(long seed, Setup setup, Path installDirectory, SimCounts counts) {
    this.simulation = new Simulation(seed);
    this.cluster = new SimCluster(simulation);
    this.setup = setup;
    this.counts = counts;
    this.maxMessages = simulation.chance(50) ? SMALL_LIMIT : Long.MAX_VALUE;
    this.settings = new RetainSettings(2, setup.enforcesLimit ? maxMessages : Long.MAX_VALUE);
    IntStream.range(0, setup.voters).forEach(i -> nodes.add(new NodeId("node" + i)));
    store = new SimStore(cluster, nodes, installDirectory, this::spec, counts);
    faultInjector = new FaultInjector(cluster, store, nodes, this::onStarted);
    simulation.afterEveryEvent(this::check);
  }

  /** Splits two ranges at keys that the store chooses, and one inside a bucket. */
  private StoreSpec spec(NodeId node) {
    RetainReplicas opened = new RetainReplicas(settings);
    replicas.put(node, opened);
    StoreSpec defaultSpec = opened.spec();
    List<byte[]> splits = new ArrayList<>(defaultSpec.initialSplitKeys());
    splits.add(RetainKeys.of("t", "a/node1"));
    splits.sort(Arrays::compareUnsigned);
    return new StoreSpec(
        defaultSpec.name(), splits, defaultSpec.coprocessorFactory(), defaultSpec.effects());
  }

  private void onStarted(SimProcess process) {
    NodeId node = process.node();
    RangeClient client = store.client(process, CLIENT, setup.transport);
    RetainReplicas opened = Objects.requireNonNull(replicas.get(node));
    ReplicatedRetainStore ranged =
        new ReplicatedRetainStore(settings, client, opened, simulation.clock());
    SimRetainClient.Limit limit =
        new SimRetainClient.Limit() {
          @Override
          public boolean isReached() {
            return store.isInService(node) && rows(node).size() >= maxMessages;
          }

          @Override
          public boolean isCertainlyBelow() {
            return store.isInService(node) && rows(node).size() < maxMessages;
          }
        };
    SimRetainClient nodeProcess =
        new SimRetainClient(
            process, setup.storeWrapper.apply(ranged), limit, expectedRetained, checks::add);
    nodeProcesses.put(node, nodeProcess);
    nodeProcess.sendNextRequests();
    sweep(process, new RetainSweeper(client, opened, simulation.clock()));
  }

  private void sweep(SimProcess process, RetainSweeper sweeper) {
    sweeper.sweep();
    process.schedule(SWEEP_MILLIS, () -> sweep(process, sweeper));
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
        simulation.run(simulation.between(1, 150));
      }
      awaitAgreement();
    }
    counts.acknowledgements += expectedRetained.history().acknowledgements();
    return simulation.executedEvents();
  }

  private void awaitAgreement() throws IOException {
    faultInjector.endFaults();
    nodeProcesses.values().forEach(SimRetainClient::stopRequests);
    simulation.runUntil("all requests have completed", this::allCompleted, TIMEOUT_MILLIS);
    simulation.run(CLIENT.reregisterAfter().toMillis() + 1); // so that clients register again
    int failedBefore = failures();
    nodeProcesses.values().forEach(SimRetainClient::sendFinalRequests);
    simulation.runUntil("all final requests have completed", this::allCompleted, TIMEOUT_MILLIS);
    assertThat(failures() - failedBefore).as("failures without faults").isZero();
    simulation.run(2_000); // everything that expires has expired
    simulation.runUntil("all replicas have caught up", this::allCaughtUp, TIMEOUT_MILLIS);
    nodes.forEach(this::check);
    assertThat(nodes.stream().map(this::rows).distinct().count())
        .as("different sets of rows")
        .isEqualTo(1);
    long now = simulation.clock().millis();
    store.scan(
        nodes.get(0),
        (key, row) -> {
          assertThat(RetainRow.headOf(row).expiresAtMillis())
              .as("expired but not removed")
              .isGreaterThan(now);
          return true;
        });
  }

  private boolean allCompleted() {
    return nodeProcesses.values().stream()
        .allMatch(nodeProcess -> nodeProcess.pendingRequests() == 0);
  }

  private int failures() {
    return nodeProcesses.values().stream().mapToInt(SimRetainClient::failures).sum();
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
    List<Runnable> due = List.copyOf(checks);
    checks.clear();
    due.forEach(Runnable::run);
    changed.stream().filter(store::isUp).forEach(this::check);
  }

  private void check(NodeId node) {
    Map<TenantTopic, String> rows = rows(node);
    long now = simulation.clock().millis();
    for (RangeDescriptor range : store.ranges()) {
      if (node.equals(store.lastLeader(range.id()))) {
        checkRows(range.interval(), rows, now);
      }
    }
    if (store.isInService(node)) {
      assertThat(Objects.requireNonNull(replicas.get(node)).count())
          .as("count of rows of %s", node)
          .isEqualTo(rows.size());
    }
  }

  private void checkRows(KeyInterval interval, Map<TenantTopic, String> rows, long now) {
    for (TenantTopic topic : expectedRetained.history().keys()) {
      if (interval.contains(RetainKeys.of(topic.tenant(), topic.topic()))) {
        expectedRetained.assertRow(topic, rows.get(topic), now);
      }
    }
  }

  private Map<TenantTopic, String> rows(NodeId node) {
    Map<TenantTopic, String> rows = new HashMap<>();
    store.scan(
        node,
        (key, row) -> {
          if (RetainRow.headOf(row).isClearMarker()) {
            return true;
          }
          ByteBuffer in = ByteBuffer.wrap(key, 1, key.length - 1);
          byte[] tenant = new byte[in.getShort()];
          in.get(tenant);
          String topic = UTF_8.decode(in).toString();
          byte[] payload =
              MessageCodec.decode(ByteBuffer.wrap(RetainRow.decode(row).message())).payload();
          rows.put(new TenantTopic(new String(tenant, UTF_8), topic), new String(payload, UTF_8));
          return true;
        });
    return rows;
  }
}
