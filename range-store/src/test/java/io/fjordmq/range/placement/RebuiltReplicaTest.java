package io.fjordmq.range.placement;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.ConsensusSettings;
import io.fjordmq.cluster.consensus.RaftPortConfig;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.TransportSettings;
import io.fjordmq.cluster.consensus.jraft.JRaftHost;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.client.RangeClientSettings;
import io.fjordmq.range.client.RoutedRangeClient;
import io.fjordmq.range.kv.KvBatch;
import io.fjordmq.range.kv.KvReader;
import io.fjordmq.range.kv.RocksKv;
import io.fjordmq.range.kv.RocksKvSettings;
import io.fjordmq.range.remote.PeerRangeTransport;
import io.fjordmq.range.remote.RangeService;
import io.fjordmq.range.sim.AppendingCoprocessor;
import io.fjordmq.range.store.RangeStore;
import io.fjordmq.range.store.RangeStoreSettings;
import io.fjordmq.range.store.RangeThreads;
import io.fjordmq.range.store.ReplicaStatus;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A row is damaged in one of three databases, on sofa-jraft, RocksDB and sockets; the steps that
 * placement plans are carried out until there are none left.
 */
class RebuiltReplicaTest {
  private static final List<NodeId> IDS =
      List.of(new NodeId("rebuilt-a"), new NodeId("rebuilt-b"), new NodeId("rebuilt-c"));
  private static final RangeId RANGE = new RangeId("words", 1);
  private static final byte[] DATA_OF_K = {1, 'k'};
  private static final byte[] DESCRIPTOR = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1};

  @TempDir Path directory;

  private final Map<NodeId, InetSocketAddress> addresses = new ConcurrentHashMap<>();
  private final LoopbackPeers peers = LoopbackPeers.immediate();
  private final Map<NodeId, Node> nodes = new TreeMap<>(NodeSets.ORDER);
  private final StoreSpec spec =
      new StoreSpec("words", List.of(), id -> new ScanningCoprocessor(), (range, effects) -> {});
  private final RangeDescriptor initialRange =
      spec.initialRanges(new ReplicaSet(Set.copyOf(IDS), Set.of())).get(0);

  /** Reads all its rows when it is opened, as stores with in-memory tables do. */
  private static final class ScanningCoprocessor extends AppendingCoprocessor {
    @Override
    public void open(KeyInterval interval, KvReader state) {
      state.scan(
          new byte[0],
          null,
          (key, value) -> {
            if (value.length > 0 && value[0] == '?') {
              throw new MalformedBytesException("row " + new String(key, UTF_8) + " is damaged");
            }
            return true;
          });
    }
  }

  private final class Node implements AutoCloseable {
    final RangeThreads threads = new RangeThreads(2, 100);
    final RocksKv kv;
    final JRaftHost host;
    final RangeStore store;
    final RoutedRangeClient client;

    Node(NodeId id) throws Exception {
      Path nodeDirectory = directory.resolve(id.value());
      kv = RocksKv.open(nodeDirectory.resolve("state"), RocksKvSettings.DEFAULTS);
      host =
          JRaftHost.open(
              id,
              nodeDirectory.resolve("log"),
              ConsensusSettings.DEFAULT.withElectionTimeout(Duration.ofMillis(400)),
              new ConsensusObserver() {},
              new RaftPortConfig(
                  new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                  addresses::get,
                  TransportSettings.DEFAULT,
                  StartFence.inMemory(id, StartStamp.NONE)));
      addresses.put(id, Objects.requireNonNull(host.boundAddress()));
      store =
          RangeStore.open(
              id,
              host,
              kv,
              List.of(spec),
              nodeDirectory.resolve("installs"),
              RangeStoreSettings.DEFAULTS,
              threads.runtime(InstantSource.system()),
              RangeObserver.NONE,
              range -> range.equals(RANGE) ? Optional.of(initialRange) : Optional.empty());
      LoopbackPeers.Node calls = peers.start(id);
      RangeService.serve(id, store.transportForOtherNodes(), calls);
      client =
          new RoutedRangeClient(
              "words",
              List.of(initialRange),
              store.transport(new PeerRangeTransport(calls, Duration.ofSeconds(5))),
              threads.timers(),
              RangeClientSettings.DEFAULTS,
              RangeObserver.NONE);
    }

    @Override
    public void close() {
      client.close();
      store.close();
      host.close();
      kv.close();
      threads.close();
    }
  }

  @AfterEach
  void stop() {
    nodes.values().forEach(Node::close);
  }

  @Test
  @Timeout(120)
  void shouldReplaceAReplicaWithADamagedRowAndLoseNothing() throws Exception {
    replaceOneWith(DATA_OF_K, "?".getBytes(UTF_8), "is damaged");
  }

  @Test
  @Timeout(120)
  void shouldReplaceAReplicaWithADamagedDescriptorAndLoseNothing() throws Exception {
    replaceOneWith(DESCRIPTOR, new byte[] {1, 5}, "MalformedBytesException");
  }

  /** The newer format of a downgraded node must not keep the node from starting either. */
  @Test
  @Timeout(120)
  void shouldNotReplaceAReplicaWithANewerDescriptorFormat() throws Exception {
    NodeId newer = IDS.get(0);
    nodes.put(newer, new Node(newer));
    node(newer).store.createInitialRanges(List.of(initialRange));
    KvBatch change = new KvBatch();
    change.put(DESCRIPTOR, new byte[] {2});
    node(newer).kv.space("words").write(change);
    restart(newer);
    assertThat(status(newer).descriptor().interval()).isEqualTo(initialRange.interval());
    assertThat(status(newer).failure()).contains("upgrade this node");
    assertThat(status(newer).broken()).isFalse();
  }

  private void replaceOneWith(byte[] row, byte[] damaged, String reason) throws Exception {
    for (NodeId id : IDS) {
      nodes.put(id, new Node(id));
      node(id).store.createInitialRanges(List.of(initialRange));
    }
    append(20);
    NodeId broken = IDS.get(2);
    node(broken).store.checkpoint().get(30, TimeUnit.SECONDS);
    KvBatch damage = new KvBatch();
    damage.put(row, damaged);
    node(broken).kv.space("words").write(damage);
    restart(broken);
    assertThat(status(broken).failure()).contains(reason);
    append(5); // the others keep working

    while (!isDone()) {
      for (Step step : PlacementPlan.steps(view(), List.of(new StorePlacement("words", 3, true)))) {
        perform(step).exceptionally(failure -> null).get(30, TimeUnit.SECONDS);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
    }
    append(1);
    byte[] expected =
        "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25".getBytes(UTF_8);
    while (!Arrays.equals(expected, row(broken))) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  private byte[] row(NodeId node) {
    byte[] row = node(node).kv.space("words").latest().get(DATA_OF_K);
    return row == null ? new byte[0] : row;
  }

  private Node node(NodeId id) {
    return Objects.requireNonNull(nodes.get(id));
  }

  private void restart(NodeId id) throws Exception {
    node(id).close();
    nodes.put(id, new Node(id));
  }

  private int words;

  private void append(int count) throws Exception {
    for (int i = 0; i < count; i++) {
      node(IDS.get(0))
          .client
          .mutate("k".getBytes(UTF_8), ("k:" + words++).getBytes(UTF_8))
          .get(60, TimeUnit.SECONDS);
    }
  }

  private ReplicaStatus status(NodeId id) {
    return node(id).store.status().stream().findFirst().orElseThrow();
  }

  private boolean isDone() {
    return node(IDS.get(2)).store.status().size() == 1
        && nodes.values().stream()
            .allMatch(
                node ->
                    node.store.localReplicas().retired().isEmpty()
                        && node.store.status().stream()
                            .anyMatch(
                                replica ->
                                    replica.failure() == null && replica.voters().size() == 3));
  }

  private PlacementView view() {
    Map<NodeId, RangeReports> reports = new HashMap<>();
    Map<NodeId, PlacementView.Node> members = new HashMap<>();
    nodes.forEach(
        (id, node) -> {
          reports.put(id, RangeReports.of(node.store, 1, Map.of()));
          members.put(id, new PlacementView.Node(Member.State.UP, false));
        });
    ReplicaSet now =
        nodes.values().stream()
            .flatMap(node -> node.store.status().stream())
            .filter(ReplicaStatus::leading)
            .map(leader -> Objects.requireNonNull(leader.group()).replicas())
            .findFirst()
            .orElse(initialRange.replicas());
    RangeDescriptor published = new RangeDescriptor(RANGE, KeyInterval.ALL, RangeEpoch.FIRST, now);
    return new PlacementView(
        members,
        Map.of(RANGE, published),
        reports,
        Set.of(),
        Set.of(RANGE),
        PlacementView.Merges.NONE);
  }

  private CompletableFuture<Void> perform(Step step) {
    if (step instanceof Step.Change change) {
      return node(change.leader())
          .store
          .leaderOperations()
          .changeReplicas(RANGE, change.from(), change.to());
    } else if (step instanceof Step.Drop drop) {
      return node(drop.node()).store.localReplicas().drop(RANGE, drop.asOfIndex());
    } else if (step instanceof Step.Forget forget) {
      return node(forget.node()).store.localReplicas().forget(RANGE);
    } else if (step instanceof Step.Ensure ensure) {
      return node(ensure.node())
          .store
          .localReplicas()
          .ensure(new RangeDescriptor(RANGE, KeyInterval.ALL, RangeEpoch.FIRST, ensure.members()));
    }
    return CompletableFuture.completedFuture(null);
  }
}
