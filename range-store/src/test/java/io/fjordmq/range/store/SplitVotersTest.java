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
import io.fjordmq.range.KeyInterval;
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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A range with three voters is split and merged again on the production stack: sofa-jraft, RocksDB,
 * sockets.
 */
class SplitVotersTest {
  private static final NodeId A = new NodeId("split-a");
  private static final NodeId B = new NodeId("split-b");
  private static final NodeId C = new NodeId("split-c");
  private static final ReplicaSet ALL = ReplicaSet.ofVoters(A, B, C);
  private static final RangeId PARENT = new RangeId("words", 1);
  private static final RangeId CHILD = new RangeId("words", 2);
  private static final int KEYS = 26;

  @TempDir Path directory;

  private final Map<NodeId, InetSocketAddress> addresses = new ConcurrentHashMap<>();
  private final LoopbackPeers peers = LoopbackPeers.immediate();
  private final StoreSpec spec =
      new StoreSpec("words", List.of(), id -> new AppendingCoprocessor(), (range, effects) -> {});
  private final List<RangeDescriptor> initial = spec.initialRanges(ALL);
  private final Map<NodeId, Node> nodes = new HashMap<>();
  private final Map<String, StringBuilder> expectedValues = new HashMap<>();
  private int words;

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
              ConsensusSettings.DEFAULT.withElectionTimeout(Duration.ofMillis(400)),
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
      store.createInitialRanges(initial);
      LoopbackPeers.Node calls = peers.start(id);
      RangeService.serve(id, store.transportForOtherNodes(), calls);
      client =
          new RoutedRangeClient(
              "words",
              initial,
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

  @BeforeEach
  void start() throws Exception {
    for (NodeId id : List.of(A, B, C)) {
      nodes.put(id, new Node(id));
    }
    await(append(2 * KEYS));
    Node old = node(leaderOf(PARENT));
    if (old == node(C)) { // which will be down
      await(old.store.leaderOperations().transferLeadership(PARENT, A));
    }
  }

  @AfterEach
  void stop() {
    nodes.values().forEach(Node::close);
  }

  private Node node(NodeId id) {
    return requireNonNull(nodes.get(id));
  }

  private List<CompletableFuture<byte[]>> append(int count) {
    List<CompletableFuture<byte[]>> responses = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String key = Character.toString('a' + words % KEYS);
      StringBuilder value = expectedValues.computeIfAbsent(key, k -> new StringBuilder());
      value.append(value.isEmpty() ? "" : " ").append(words);
      responses.add(node(A).client.mutate(bytes(key), bytes(key + ":" + words++)));
    }
    return responses;
  }

  private void assertAllWords(Node reader) throws Exception {
    for (Map.Entry<String, StringBuilder> value : expectedValues.entrySet()) {
      byte[] found =
          reader
              .client
              .query(bytes(value.getKey()), bytes(value.getKey()))
              .get(20, TimeUnit.SECONDS);
      assertThat(new String(found, UTF_8)).isEqualTo(value.getValue().toString());
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static <T> T await(CompletableFuture<T> future) throws Exception {
    return future.get(20, TimeUnit.SECONDS);
  }

  private static void await(List<CompletableFuture<byte[]>> futures) throws Exception {
    for (CompletableFuture<byte[]> future : futures) {
      await(future);
    }
  }

  private static ReplicaStatus status(Node node, RangeId range) {
    return node.store.status().stream()
        .filter(replica -> replica.descriptor().id().equals(range))
        .findFirst()
        .orElseThrow();
  }

  private static boolean hasReplica(Node node, RangeId range) {
    return node.store.status().stream()
        .anyMatch(replica -> replica.descriptor().id().equals(range) && replica.group() != null);
  }

  private NodeId leaderOf(RangeId range) {
    List<NodeId> leading = new ArrayList<>();
    Await.until(
        range + " has a leader",
        () -> {
          leading.clear();
          nodes.forEach(
              (id, node) -> {
                if (hasReplica(node, range) && status(node, range).leading()) {
                  leading.add(id);
                }
              });
          return !leading.isEmpty();
        });
    return leading.get(0);
  }

  private void split() throws Exception {
    await(
        node(leaderOf(PARENT))
            .store
            .leaderOperations()
            .split(PARENT, 1, bytes("m"), CHILD.number()));
  }

  /** Every node has all committed entries of all ranges, and its data is correct. */
  private void assertEverywhere() throws Exception {
    assertEverywhere(List.of(PARENT, CHILD));
  }

  private void assertEverywhere(List<RangeId> ranges) throws Exception {
    for (RangeId range : ranges) {
      Await.until(
          range + " is on every node",
          () -> nodes.values().stream().allMatch(n -> hasReplica(n, range)));
      Node leader = node(leaderOf(range));
      long index = status(leader, range).appliedIndex();
      for (Node node : nodes.values()) {
        Await.until(range + " is up to date", () -> status(node, range).appliedIndex() >= index);
        assertThat(status(node, range).descriptor()).isEqualTo(status(leader, range).descriptor());
      }
    }
    assertAllWords(node(A));
    // The contents of C are visible while it leads.
    for (RangeId range : ranges) {
      await(node(leaderOf(range)).store.leaderOperations().transferLeadership(range, C));
      Await.until(range + " is led by c", () -> status(node(C), range).leading());
    }
    await(append(KEYS));
    assertAllWords(node(C));
  }

  private void checkpointUntilTruncated(RangeId range, long after, List<NodeId> of)
      throws Exception {
    for (NodeId id : of) {
      Await.until(
          "the log of " + range + " at " + id + " begins after " + after,
          () -> {
            append(1).forEach(CompletableFuture::join);
            node(id).store.checkpoint().join();
            return requireNonNull(status(node(id), range).group()).firstIndex() > after;
          });
    }
  }

  @Test
  void shouldSplitUnderWriteLoad() throws Exception {
    List<CompletableFuture<byte[]>> before = append(40 * KEYS);
    CompletableFuture<Void> split =
        node(leaderOf(PARENT))
            .store
            .leaderOperations()
            .split(PARENT, 1, bytes("m"), CHILD.number());
    List<CompletableFuture<byte[]>> after = append(40 * KEYS);
    await(split);
    await(before);
    await(after);
    assertEverywhere();
  }

  @Test
  void shouldApplyASplitOnAReplicaThatWasDown() throws Exception {
    requireNonNull(nodes.remove(C)).close();
    await(append(2 * KEYS));
    split();
    await(append(2 * KEYS));
    nodes.put(C, new Node(C));
    assertEverywhere();
  }

  @Test
  void shouldSendBothRangesBySnapshotToAReplicaThatWasDown() throws Exception {
    requireNonNull(nodes.remove(C)).close();
    await(append(2 * KEYS));
    split();
    await(append(2 * KEYS));
    long past = status(node(A), PARENT).appliedIndex();
    checkpointUntilTruncated(PARENT, past, List.of(A, B));
    nodes.put(C, new Node(C));
    assertEverywhere();
  }

  @Test
  void shouldSplitAgainAfterARestartOfAllNodes() throws Exception {
    split();
    await(append(KEYS));
    for (NodeId id : List.of(A, B, C)) {
      requireNonNull(nodes.remove(id)).close();
    }
    for (NodeId id : List.of(A, B, C)) {
      nodes.put(id, new Node(id));
    }
    await(node(leaderOf(CHILD)).store.leaderOperations().split(CHILD, 2, bytes("s"), 3));
    await(append(2 * KEYS));
    assertEverywhere();
  }

  private RangeDescriptor descriptorOf(RangeId range) {
    return status(node(leaderOf(range)), range).descriptor();
  }

  private void freeze() throws Exception {
    await(node(leaderOf(CHILD)).store.merges().freeze(descriptorOf(CHILD), descriptorOf(PARENT)));
    Await.until(
        "the right range is frozen everywhere",
        () -> nodes.values().stream().allMatch(SplitVotersTest::isFrozen));
  }

  private static boolean isFrozen(Node node) {
    ReplicaStatus.Merging merging = hasReplica(node, CHILD) ? status(node, CHILD).merging() : null;
    return merging != null && merging.durable();
  }

  private void absorb(RangeDescriptor right) throws Exception {
    await(node(leaderOf(PARENT)).store.merges().absorb(descriptorOf(PARENT), right, ALL));
  }

  /**
   * The range holds all keys again on every node, and nothing remains of the other range's group.
   */
  private void assertMerged() throws Exception {
    assertEverywhere(List.of(PARENT));
    Await.until(
        "the other range is gone",
        () ->
            nodes.values().stream()
                .allMatch(
                    node ->
                        node.store.descriptors("words").size() == 1
                            && node.host.groups().size() == 1));
    assertThat(descriptorOf(PARENT).interval()).isEqualTo(KeyInterval.ALL);
  }

  @Test
  void shouldMergeUnderWriteLoad() throws Exception {
    split();
    List<CompletableFuture<byte[]>> before = append(10 * KEYS);
    freeze();
    List<CompletableFuture<byte[]>> meanwhile = append(10 * KEYS);
    absorb(descriptorOf(CHILD));
    await(before);
    await(meanwhile);
    assertMerged();
  }

  @Test
  void shouldApplyAMergeOnAReplicaThatWasDown() throws Exception {
    split();
    await(append(2 * KEYS));
    freeze();
    requireNonNull(nodes.remove(C)).close();
    absorb(descriptorOf(CHILD));
    await(append(2 * KEYS));
    nodes.put(C, new Node(C));
    assertMerged();
  }

  @Test
  void shouldSendTheMergedRangeBySnapshotToAReplicaThatWasDown() throws Exception {
    split();
    await(append(2 * KEYS));
    freeze();
    requireNonNull(nodes.remove(C)).close();
    absorb(descriptorOf(CHILD));
    await(append(2 * KEYS));
    long past = status(node(A), PARENT).appliedIndex();
    checkpointUntilTruncated(PARENT, past, List.of(A, B));
    nodes.put(C, new Node(C));
    assertMerged();
  }

  @Test
  void shouldResumeAfterAMergeIsAbandoned() throws Exception {
    split();
    freeze();
    RangeDescriptor left = descriptorOf(PARENT);
    List<CompletableFuture<byte[]>> waiting = append(2 * KEYS);
    await(node(leaderOf(PARENT)).store.merges().bumpEpoch(left));
    NodeId right = leaderOf(CHILD);
    Await.until(
        "its node knows that the left range has another version",
        () -> status(node(right), PARENT).descriptor().epoch().isNewerThan(left.epoch()));
    await(node(right).store.merges().unfreeze(CHILD));
    await(waiting);
    assertEverywhere();
  }
}
