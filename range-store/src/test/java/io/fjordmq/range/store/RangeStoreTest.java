package io.fjordmq.range.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.range.Coprocessor;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.RangeException;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.RangeTransport;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.kv.KvException;
import io.fjordmq.range.sim.AppendingCoprocessor;
import io.fjordmq.range.sim.LocalRanges;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RangeStoreTest {
  private final StoreSpec words =
      new StoreSpec(
          "words", List.of(bytes("h"), bytes("p")), id -> newCoprocessor(), (range, effects) -> {});
  private final StoreSpec names =
      new StoreSpec("names", List.of(), id -> new AppendingCoprocessor(), (range, effects) -> {});
  private boolean openingFails;
  private boolean refusesThreads;
  private final LocalRanges ranges = LocalRanges.of(words, names);

  private Coprocessor newCoprocessor() {
    if (openingFails) {
      throw new IllegalStateException("a bug in the coprocessor");
    }
    if (refusesThreads) {
      throw new OutOfMemoryError("unable to create native thread");
    }
    return new AppendingCoprocessor();
  }

  @AfterEach
  void close() {
    ranges.close();
  }

  @Test
  void shouldSplitAStoreAtTheKeysOfItsSpec() {
    assertThat(ranges.store().descriptors("words"))
        .extracting(range -> range.id().number(), range -> range.interval().toString())
        .containsExactly(tuple(1L, "[, 68)"), tuple(2L, "[68, 70)"), tuple(3L, "[70, ∞)"));
    assertThat(ranges.store().descriptors("names"))
        .singleElement()
        .extracting(range -> range.interval())
        .isEqualTo(KeyInterval.ALL);
  }

  @Test
  void shouldKeepRangesAndStoresApart() {
    mutate("words", "a", "a:1");
    mutate("words", "z", "z:2");
    mutate("names", "a", "a:3");
    ranges.restart();
    assertThat(query("words", "a")).isEqualTo("1");
    assertThat(query("words", "z")).isEqualTo("2");
    assertThat(query("names", "a")).isEqualTo("3");
  }

  @Test
  void shouldMergeOnlyNeighbors() {
    List<RangeDescriptor> all = ranges.store().descriptors("words");
    RangeMerges merges = ranges.store().merges();
    assertThat(merges.freeze(all.get(2), all.get(0))).isCompletedExceptionally();
    assertThat(merges.absorb(all.get(0), all.get(2), all.get(0).replicas()))
        .isCompletedExceptionally();
    assertThat(query("words", "z")).as("no range is frozen").isEmpty();
  }

  /** Its left neighbor may need it, whether it is open or not. */
  @Test
  void shouldNotRemoveAFrozenReplicaThatCannotBeOpened() {
    mutate("words", "i", "i:1");
    RangeDescriptor left = ranges.store().descriptors("words").get(0);
    RangeDescriptor right = ranges.store().descriptors("words").get(1);
    RangeMerges merges = ranges.store().merges();
    assertThat(merges.freeze(right, left)).isCompleted();
    ranges.failDisk(new KvException(KvException.Kind.DISK_FULL, "disk full"));
    ranges.client("words").mutate(bytes("i"), bytes("i:2"));
    openingFails = true;
    ranges.failDisk(null);
    ranges.advance(Duration.ofSeconds(5));
    assertThat(statusOf("i").failure()).contains("a bug in the coprocessor");
    assertThat(statusOf("i").merging()).isNotNull();
    assertThat(merges.removeStaleReplica(right.id(), Set.of(left.id()))).isCompletedExceptionally();
    assertThat(ranges.store().localReplicas().drop(right.id(), Long.MAX_VALUE))
        .isCompletedExceptionally();

    openingFails = false;
    ranges.advance(Duration.ofSeconds(15));
    assertThat(merges.absorb(left, right, left.replicas())).isCompleted();
    CompletableFuture<byte[]> read = ranges.client("words").query(bytes("i"), bytes("i"));
    ranges.advance(Duration.ofSeconds(5)); // the client learns where the key is now
    assertThat(read)
        .isCompletedWithValueMatching(value -> new String(value, UTF_8).startsWith("1"));
  }

  /** A replica whose node has left the group does not learn that the range was unfrozen. */
  @Test
  void shouldRemoveAReplicaFrozenForAnAbandonedMerge() {
    RangeDescriptor left = ranges.store().descriptors("words").get(0);
    RangeDescriptor right = ranges.store().descriptors("words").get(1);
    RangeMerges merges = ranges.store().merges();
    assertThat(merges.freeze(right, left)).isCompleted();
    haltAndFailReopening("i");
    assertThat(ranges.store().localReplicas().drop(right.id(), Long.MAX_VALUE))
        .isCompletedExceptionally();
    assertThat(merges.bumpEpoch(left)).isCompleted();
    assertThat(ranges.store().localReplicas().drop(right.id(), Long.MAX_VALUE)).isCompleted();
    assertThat(ranges.store().descriptors("words")).doesNotContain(right);
    assertThat(ranges.store().localReplicas().retired()).containsExactly(right.id());
  }

  @Test
  void shouldRemoveAReplicaFrozenForARangeThatLeftThisNode() {
    RangeDescriptor left = ranges.store().descriptors("words").get(0);
    RangeDescriptor right = ranges.store().descriptors("words").get(1);
    assertThat(ranges.store().merges().freeze(right, left)).isCompleted();
    haltAndFailReopening("a", "i");
    assertThat(ranges.store().merges().removeStaleReplica(right.id(), Set.of()))
        .isCompletedExceptionally();
    assertThat(ranges.store().localReplicas().drop(left.id(), Long.MAX_VALUE)).isCompleted();
    assertThat(ranges.store().merges().removeStaleReplica(right.id(), Set.of())).isCompleted();
    assertThat(ranges.store().localReplicas().retired())
        .containsExactlyInAnyOrder(left.id(), right.id());
  }

  /** Makes the replicas of these keys halt, and unable to reopen. */
  private void haltAndFailReopening(String... keys) {
    ranges.failDisk(new KvException(KvException.Kind.DISK_FULL, "disk full"));
    for (String key : keys) {
      ranges.client("words").mutate(bytes(key), bytes(key + ":2"));
    }
    openingFails = true;
    ranges.failDisk(null);
    ranges.advance(Duration.ofSeconds(5));
    for (String key : keys) {
      assertThat(statusOf(key).failure()).contains("a bug in the coprocessor");
    }
  }

  @Test
  void shouldReopenAHaltedReplicaAndApplyTheRejectedEntries() {
    mutate("words", "a", "a:1");
    ranges.failDisk(new KvException(KvException.Kind.DISK_FULL, "disk full"));
    CompletableFuture<byte[]> refused = ranges.client("words").mutate(bytes("a"), bytes("a:2"));
    assertThat(refused).isNotDone();
    assertThat(statusOf("a").failure()).contains("disk full");
    assertThat(statusOf("a").leading()).isFalse();
    ranges.advance(Duration.ofSeconds(4)); // reopened and halted again, with growing delays
    assertThat(refused).isNotDone();

    ranges.failDisk(null);
    ranges.advance(Duration.ofSeconds(10));
    assertThat(refused).isCompleted();
    assertThat(query("words", "a")).isEqualTo("1 2");
    assertThat(statusOf("a").failure()).isNull();
    assertThat(query("words", "z")).isEmpty(); // the others kept running
  }

  @Test
  void shouldKeepRetryingWhenReopeningFails() {
    mutate("words", "a", "a:1");
    ranges.failDisk(new KvException(KvException.Kind.DISK_FULL, "disk full"));
    CompletableFuture<byte[]> refused = ranges.client("words").mutate(bytes("a"), bytes("a:2"));
    openingFails = true;
    ranges.failDisk(null);
    ranges.advance(Duration.ofSeconds(5));
    assertThat(statusOf("a").failure()).contains("a bug in the coprocessor");

    openingFails = false;
    ranges.advance(Duration.ofSeconds(15));
    assertThat(refused).isCompleted();
    assertThat(query("words", "a")).isEqualTo("1 2");
  }

  @Test
  void shouldKeepRetryingWhenTheSystemRefusesAThread() {
    mutate("words", "a", "a:1");
    refusesThreads = true;
    ranges.failDisk(new KvException(KvException.Kind.DISK_FULL, "disk full"));
    ranges.client("words").mutate(bytes("a"), bytes("a:2"));
    ranges.failDisk(null);
    ranges.advance(Duration.ofSeconds(5));
    assertThat(statusOf("a").failure()).contains("unable to create native thread");

    refusesThreads = false;
    ranges.advance(Duration.ofSeconds(15));
    assertThat(query("words", "a")).isEqualTo("1 2");
  }

  @Test
  void shouldOpenASplitRangeOnceTheSystemHasThreadsAgain() {
    RangeDescriptor left = ranges.store().descriptors("words").get(0);
    RangeId right = new RangeId("words", 9);
    refusesThreads = true;
    assertThat(
            ranges
                .store()
                .leaderOperations()
                .split(left.id(), left.epoch().version(), bytes("c"), right.number()))
        .isCompleted();
    assertThat(isOpen(right)).isFalse();

    refusesThreads = false;
    ranges.advance(Duration.ofSeconds(15));
    assertThat(isOpen(right)).isTrue();
  }

  private boolean isOpen(RangeId range) {
    return ranges.store().status().stream()
        .anyMatch(replica -> replica.descriptor().id().equals(range) && replica.group() != null);
  }

  @Test
  void shouldReportAPersistentStorageFailureToTheClient() {
    mutate("words", "a", "a:1");
    ranges.failDisk(new KvException(KvException.Kind.DISK_FULL, "disk full"));
    CompletableFuture<byte[]> refused = ranges.client("words").mutate(bytes("a"), bytes("a:2"));
    ranges.advance(Duration.ofSeconds(40));
    assertThat(refused)
        .isCompletedExceptionally()
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(RangeException.class);
    ranges.failDisk(null);
    ranges.advance(Duration.ofSeconds(40));
    mutate("words", "a", "a:3");
    assertThat(query("words", "a")).isEqualTo("1 2 3"); // it was in the log
  }

  @Test
  void shouldNeverSkipAnEntryThatCannotBeApplied() {
    CompletableFuture<byte[]> bug = ranges.client("words").mutate(bytes("a"), bytes("a:!"));
    ranges.advance(Duration.ofMinutes(5));
    assertThat(bug).isCompletedExceptionally();
    assertThat(statusOf("a").failure()).contains("the bug");
    CompletableFuture<byte[]> behindIt = ranges.client("words").mutate(bytes("a"), bytes("a:2"));
    ranges.advance(Duration.ofMinutes(1));
    assertThat(behindIt).isCompletedExceptionally();
    mutate("words", "z", "z:1"); // other ranges are not affected
  }

  @Test
  void shouldCheckpointPeriodically() {
    mutate("words", "a", "a:1");
    assertThat(statusOf("a").logBytesSinceCheckpoint()).isPositive();
    ranges.advance(Duration.ofSeconds(40));
    assertThat(statusOf("a").logBytesSinceCheckpoint()).isZero();
  }

  @Test
  void shouldCheckpointEarlierAfterManyLogBytes() {
    for (int i = 0; i < 9; i++) { // in two ranges: their log bytes are added up
      mutate("words", "a" + i, "a" + i + ":" + "x".repeat(1 << 20));
      mutate("words", "z" + i, "z" + i + ":" + "x".repeat(1 << 20));
    }
    assertThat(statusOf("a").logBytesSinceCheckpoint()).isBetween(9L << 20, 10L << 20);
    assertThat(statusOf("z").logBytesSinceCheckpoint()).isBetween(9L << 20, 10L << 20);
    ranges.advance(Duration.ofSeconds(3));
    assertThat(statusOf("a").logBytesSinceCheckpoint()).isZero();
    assertThat(statusOf("z").logBytesSinceCheckpoint()).isZero();
  }

  @Test
  void shouldReportThatItHasNoConnectionToOtherNodes() {
    List<RangeResult> results = new ArrayList<>();
    ranges
        .store()
        .transport()
        .propose(
            new NodeId("other"),
            new RangeId("words", 1),
            RangeEntry.encodeRegister(),
            results::add);
    assertThat(results)
        .singleElement()
        .isInstanceOfSatisfying(
            RangeResult.Unavailable.class,
            result -> assertThat(result.reason()).contains("no connection to other nodes"));
  }

  /** Records the requests for other nodes. */
  private static final class RecordingTransport implements RangeTransport {
    final List<String> requests = new ArrayList<>();

    @Override
    public void propose(NodeId node, RangeId range, byte[] entry, Consumer<RangeResult> reply) {
      requests.add("propose " + node);
    }

    @Override
    public void query(
        NodeId node,
        RangeId range,
        long epochVersion,
        long minIndex,
        byte[] query,
        Consumer<RangeResult> reply) {
      requests.add("query " + node);
    }
  }

  @Test
  void shouldPassOnOnlyTheRequestsForOtherNodes() {
    RecordingTransport otherNodes = new RecordingTransport();
    RangeTransport transport = ranges.store().transport(otherNodes);
    RangeId range = statusOf("a").descriptor().id();
    List<RangeResult> results = new ArrayList<>();
    for (NodeId node : List.of(new NodeId("local"), new NodeId("other"))) {
      transport.propose(node, range, RangeEntry.encodeRegister(), results::add);
      transport.query(node, range, 1, 0, bytes("a"), results::add);
    }
    ranges.advance(Duration.ofSeconds(1));
    assertThat(otherNodes.requests).containsExactly("propose other", "query other");
    assertThat(results).as("responses of this node").hasSize(2);
  }

  @Test
  void shouldCheckTheEntriesOfOtherNodes() {
    RangeId range = statusOf("a").descriptor().id();
    byte[] newer = RangeEntry.encodeRegister();
    newer[0] = RangeEntry.FORMAT_WITH_LEVEL + 1;
    List<RangeResult> results = new ArrayList<>();
    ranges
        .store()
        .transportForOtherNodes()
        .propose(new NodeId("local"), range, newer, results::add);
    assertThat(results)
        .singleElement()
        .isInstanceOfSatisfying(
            RangeResult.Unavailable.class,
            result -> assertThat(result.reason()).contains("upgrade this node"));
  }

  private ReplicaStatus statusOf(String key) {
    return ranges.store().status().stream()
        .filter(status -> status.descriptor().id().store().equals("words"))
        .filter(status -> status.descriptor().interval().contains(bytes(key)))
        .findFirst()
        .orElseThrow();
  }

  private void mutate(String store, String key, String command) {
    try {
      ranges.client(store).mutate(bytes(key), bytes(command)).join();
    } catch (CompletionException e) {
      throw new AssertionError(command + " failed", e);
    }
  }

  private String query(String store, String key) {
    return new String(ranges.client(store).query(bytes(key), bytes(key)).join(), UTF_8);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
