package io.fjordmq.retain;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.MessageCodec;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimProcess;
import io.fjordmq.cluster.consensus.sim.Simulation;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.client.RangeClientSettings;
import io.fjordmq.range.sim.SimCounts;
import io.fjordmq.range.sim.SimStore;
import io.fjordmq.range.sim.SimTransport;
import io.fjordmq.range.sim.Trouble;
import io.fjordmq.range.store.ReplicaStatus;
import io.fjordmq.retain.RetainTruth.TopicOf;
import java.io.IOException;
import java.nio.ByteBuffer;
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
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * One seed's run: nodes put, clear and scan retained messages while messages get lost, nodes crash,
 * disks fill up and leaders change; then there is peace, and everybody must agree. The rows of
 * leaders are compared after every event that changed them.
 */
final class RetainSimulation {
  private static final int ROUNDS = 25;
  private static final long PATIENCE_MILLIS = 60_000;
  private static final long SWEEP_MILLIS = 50;
  private static final long SMALL_LIMIT = 6;

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
          40,
          Duration.ofMillis(800),
          Duration.ofMillis(200),
          Duration.ofMillis(5),
          Duration.ofMillis(100),
          Duration.ofMillis(400));

  /**
   * How a run differs from the usual.
   *
   * @param around what a test makes of a node's store
   * @param heedsLimit false for a store that does not
   */
  record Setup(
      int voters,
      SimTransport.Factory transport,
      UnaryOperator<RetainStore> around,
      boolean heedsLimit) {
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
  private final Trouble trouble;
  private final RetainTruth truth = new RetainTruth();
  private final List<Runnable> checks = new ArrayList<>();
  private final Map<NodeId, RangedRetainStore.Replicas> replicas = new HashMap<>();
  private final Map<NodeId, SimRetaining> lives = new HashMap<>();

  RetainSimulation(long seed, Setup setup, Path installs, SimCounts counts) {
    this.simulation = new Simulation(seed);
    this.cluster = new SimCluster(simulation);
    this.setup = setup;
    this.counts = counts;
    this.maxMessages = simulation.chance(50) ? SMALL_LIMIT : Long.MAX_VALUE;
    this.settings = new RetainSettings(2, setup.heedsLimit ? maxMessages : Long.MAX_VALUE);
    IntStream.range(0, setup.voters).forEach(i -> nodes.add(new NodeId("node" + i)));
    store = new SimStore(cluster, nodes, installs, this::spec, counts);
    trouble = new Trouble(cluster, store, nodes, this::started);
    simulation.afterEveryEvent(this::check);
  }

  /** Two ranges cut where the store cuts them, and one cut amid a bucket. */
  private StoreSpec spec(NodeId node) {
    RangedRetainStore.Replicas opened = new RangedRetainStore.Replicas();
    replicas.put(node, opened);
    StoreSpec usual = RangedRetainStore.spec(settings, opened);
    List<byte[]> splits = new ArrayList<>(usual.initialSplitKeys());
    splits.add(RetainKeys.of("t", "a/node1"));
    splits.sort(Arrays::compareUnsigned);
    return new StoreSpec(usual.name(), splits, usual.coprocessor(), usual.effects());
  }

  private void started(SimProcess process) {
    NodeId node = process.node();
    RangedRetainStore ranged =
        new RangedRetainStore(
            settings,
            store.client(process, CLIENT, setup.transport),
            Objects.requireNonNull(replicas.get(node)),
            simulation.clock());
    SimRetaining.Limit limit =
        new SimRetaining.Limit() {
          @Override
          public boolean isReached() {
            return store.isInService(node) && rows(node).size() >= maxMessages;
          }

          @Override
          public boolean isFar() {
            return store.isInService(node) && rows(node).size() < maxMessages;
          }
        };
    SimRetaining life =
        new SimRetaining(process, setup.around.apply(ranged), limit, truth, checks::add);
    lives.put(node, life);
    life.next();
    sweep(process, ranged);
  }

  private void sweep(SimProcess process, RangedRetainStore ranged) {
    ranged.sweep();
    process.schedule(SWEEP_MILLIS, () -> sweep(process, ranged));
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
        simulation.run(simulation.between(1, 150));
      }
      peace();
    }
    counts.acknowledgements += truth.history().acknowledgements();
    return simulation.executedEvents();
  }

  private void peace() throws IOException {
    trouble.end();
    lives.values().forEach(SimRetaining::rest);
    simulation.runUntil("all are answered", this::allAnswered, PATIENCE_MILLIS);
    simulation.run(CLIENT.registerAgainAfter().toMillis() + 1); // then nobody is forgotten
    int failedBefore = failures();
    lives.values().forEach(SimRetaining::lastWord);
    simulation.runUntil("all last calls are answered", this::allAnswered, PATIENCE_MILLIS);
    assertThat(failures() - failedBefore).as("failures in peace").isZero();
    simulation.run(2_000); // everything that expires has
    simulation.runUntil("all replicas are equally far", this::allEquallyFar, PATIENCE_MILLIS);
    nodes.forEach(this::check);
    assertThat(nodes.stream().map(this::rows).distinct().count())
        .as("different sets of rows")
        .isEqualTo(1);
    long now = simulation.clock().millis();
    store.scan(
        nodes.get(0),
        (key, row) -> {
          assertThat(RetainRow.headOf(row).expiresAtMillis())
              .as("expired but never removed")
              .isGreaterThan(now);
          return true;
        });
  }

  private boolean allAnswered() {
    return lives.values().stream().allMatch(life -> life.waiting() == 0);
  }

  private int failures() {
    return lives.values().stream().mapToInt(SimRetaining::failures).sum();
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
    List<Runnable> due = List.copyOf(checks);
    checks.clear();
    due.forEach(Runnable::run);
    changed.stream().filter(store::isUp).forEach(this::check);
  }

  private void check(NodeId node) {
    Map<TopicOf, String> rows = rows(node);
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

  private void checkRows(KeyInterval interval, Map<TopicOf, String> rows, long now) {
    for (TopicOf topic : truth.history().keys()) {
      if (interval.contains(RetainKeys.of(topic.tenant(), topic.topic()))) {
        truth.assertRow(topic, rows.get(topic), now);
      }
    }
  }

  private Map<TopicOf, String> rows(NodeId node) {
    Map<TopicOf, String> rows = new HashMap<>();
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
          rows.put(new TopicOf(new String(tenant, UTF_8), topic), new String(payload, UTF_8));
          return true;
        });
    return rows;
  }
}
