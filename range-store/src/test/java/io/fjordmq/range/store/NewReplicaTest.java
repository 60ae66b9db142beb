package io.fjordmq.range.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
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
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.client.RangeClientSettings;
import io.fjordmq.range.client.RoutedRangeClient;
import io.fjordmq.range.kv.RocksKv;
import io.fjordmq.range.kv.RocksKvSettings;
import io.fjordmq.range.remote.PeerRangeTransport;
import io.fjordmq.range.remote.RangeService;
import io.fjordmq.range.sim.AppendingCoprocessor;
import io.fjordmq.testing.Await;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replicas move between two nodes on the production stack: sofa-jraft, RocksDB, sockets. */
class NewReplicaTest {
  private static final NodeId A = new NodeId("moving-a");
  private static final NodeId B = new NodeId("moving-b");
  private static final RangeId RANGE = new RangeId("words", 1);
  private static final ReplicaSet ONLY_A = ReplicaSet.ofVoters(A);
  private static final ReplicaSet BOTH = ReplicaSet.ofVoters(A, B);

  @TempDir Path directory;

  private final Map<NodeId, InetSocketAddress> addresses = new ConcurrentHashMap<>();
  private final LoopbackPeers peers = LoopbackPeers.immediate();
  private final StoreSpec spec =
      new StoreSpec("words", List.of(), id -> new AppendingCoprocessor(), (range, effects) -> {});
  private final RangeDescriptor onlyA = spec.initialRanges(ONLY_A).get(0);
  private Node a;
  private Node b;
  private int words;

  /** A node and its own client. */
  private final class Node implements AutoCloseable {
    final RangeThreads threads = new RangeThreads(2, 100);
    final RocksKv kv;
    final JRaftHost host;
    final RangeStore store;
    final RoutedRangeClient client;

    Node(NodeId id) throws Exception {
      Path own = directory.resolve(id.value());
      kv = RocksKv.open(own.resolve("state"), RocksKvSettings.DEFAULTS);
      host =
          JRaftHost.open(
              id,
              own.resolve("log"),
              ConsensusSettings.DEFAULT.withElectionTimeout(Duration.ofSeconds(1)),
              new ConsensusObserver() {},
              new RaftPortConfig(
                  new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                  addresses::get,
                  TransportSettings.DEFAULT,
                  StartFence.inMemory(id, StartStamp.NONE)));
      addresses.put(id, requireNonNull(host.boundAddress()));
      store =
          RangeStore.open(
              id,
              host,
              kv,
              List.of(spec),
              own.resolve("installs"),
              RangeStoreSettings.DEFAULTS,
              threads.runtime(InstantSource.system()),
              RangeObserver.NONE);
      store.createInitialRanges(List.of(onlyA));
      LoopbackPeers.Node calls = peers.start(id);
      RangeService.serve(id, store.transportForOtherNodes(), calls);
      client =
          new RoutedRangeClient(
              "words",
              List.of(onlyA),
              store.transport(new PeerRangeTransport(calls, Duration.ofSeconds(5))),
              threads.timers(),
              RangeClientSettings.DEFAULTS,
              RangeObserver.NONE);
    }

    ReplicaStatus status() {
      return store.status().stream().findFirst().orElseThrow();
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

  @BeforeEach
  void start() throws Exception {
    a = new Node(A);
    b = new Node(B);
    append(20);
  }

  @AfterEach
  void stop() {
    b.close();
    a.close();
  }

  private void append(int count) throws Exception {
    for (int i = 0; i < count; i++) {
      await(b.client.mutate("k".getBytes(UTF_8), ("k:" + words++).getBytes(UTF_8)));
    }
  }

  private static <T> T await(CompletableFuture<T> future) throws Exception {
    return future.get(20, TimeUnit.SECONDS);
  }

  private void assertAllWords() throws Exception {
    byte[] value = await(b.client.query("k".getBytes(UTF_8), "k".getBytes(UTF_8)));
    assertThat(new String(value, UTF_8).split(" "))
        .containsExactly(
            IntStream.range(0, words).mapToObj(Integer::toString).toArray(String[]::new));
  }

  @Test
  void shouldMoveARangeToANewNodeThroughTheLog() throws Exception {
    await(b.store.localReplicas().ensure(onlyA));
    assertThat(b.status().role()).isEqualTo(ReplicaStatus.Role.NONE);
    await(a.store.leaderOperations().changeReplicas(RANGE, ONLY_A, BOTH));
    assertAllWords();
    await(a.store.leaderOperations().transferLeadership(RANGE, B));
    Await.until("b leads", () -> b.status().leading());
    append(5);
    await(b.store.leaderOperations().changeReplicas(RANGE, BOTH, ReplicaSet.ofVoters(B)));
    await(
        b.store
            .leaderOperations()
            .changeReplicas(RANGE, ReplicaSet.ofVoters(B), ReplicaSet.ofVoters(B)));
    await(a.store.localReplicas().drop(RANGE, b.status().appliedIndex()));
    assertThat(a.store.status()).isEmpty();
    assertThat(a.host.groups()).isEmpty();
    append(5);
    assertAllWords();
  }

  @Test
  void shouldCatchUpALearnerBySnapshotAndPromoteIt() throws Exception {
    for (int round = 0; round < 3; round++) {
      append(5);
      await(a.store.checkpoint());
    }
    Await.until("the log is truncated", () -> requireNonNull(a.status().group()).firstIndex() > 1);
    await(b.store.localReplicas().ensure(onlyA));
    ReplicaSet learning = new ReplicaSet(Set.of(A), Set.of(B));
    await(a.store.leaderOperations().changeReplicas(RANGE, ONLY_A, learning));
    append(5);
    Await.until(
        "the learner is up to date", () -> b.status().appliedIndex() == a.status().appliedIndex());
    Await.until("b knows its role", () -> b.status().role() == ReplicaStatus.Role.LEARNER);
    // jraft tracks learners and voters separately: remove the learner first, then add the voter.
    await(a.store.leaderOperations().changeReplicas(RANGE, learning, ONLY_A));
    await(a.store.leaderOperations().changeReplicas(RANGE, ONLY_A, BOTH));
    await(a.store.leaderOperations().transferLeadership(RANGE, B));
    Await.until("b leads", () -> b.status().leading());
    append(5);
    assertAllWords();
  }

  @Test
  void shouldRecreateADroppedReplica() throws Exception {
    await(b.store.localReplicas().ensure(onlyA));
    await(a.store.leaderOperations().changeReplicas(RANGE, ONLY_A, BOTH));
    append(5);
    await(a.store.leaderOperations().changeReplicas(RANGE, BOTH, ONLY_A));
    await(b.store.localReplicas().drop(RANGE, a.status().appliedIndex()));
    assertThat(b.host.groups()).isEmpty();
    append(5);
    await(b.store.localReplicas().forget(RANGE));
    await(b.store.localReplicas().ensure(onlyA));
    await(a.store.leaderOperations().changeReplicas(RANGE, ONLY_A, BOTH));
    Await.until("b is up to date", () -> b.status().appliedIndex() == a.status().appliedIndex());
    append(5);
    assertAllWords();
  }
}
