package io.fjordmq.range.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.range.ApplyContext;
import io.fjordmq.range.Coprocessor;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.kv.KvReader;
import io.fjordmq.range.sim.AppendingCoprocessor;
import io.fjordmq.testing.Await;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The engine on the production stack: sofa-jraft, RocksDB, threads. */
class RealNodeTest {
  @TempDir Path directory;
  @TempDir Path image;

  private volatile boolean broken;

  /** Number of replicas that must be opening before the first one may finish. */
  private volatile CountDownLatch opening = new CountDownLatch(0);

  private final CountDownLatch applying = new CountDownLatch(1);

  /** Blocks the application of entries until it is counted down. */
  private volatile CountDownLatch applied = new CountDownLatch(0);

  private final Set<Object> effects = ConcurrentHashMap.newKeySet();
  private final StoreSpec spec =
      new StoreSpec(
          "words",
          List.of(bytes("k2"), bytes("k4")),
          id -> {
            opening.countDown();
            awaitAtMost20Seconds(opening);
            return new BreakableCoprocessor();
          },
          (range, emitted) -> effects.addAll(emitted));

  @Test
  void shouldKeepEverythingAfterACleanRestart() throws Exception {
    try (RealNode node = new RealNode(directory, spec)) {
      await(append(node, 0, 600));
    }
    try (RealNode node = new RealNode(directory, spec)) {
      await(append(node, 600, 700));
      assertAllInOrder(node, 700);
    }
    assertThat(effects).contains("k0:0", "k5:5");
  }

  @Test
  void shouldKeepAcknowledgedWritesAfterBeingKilled() throws Exception {
    try (RealNode node = new RealNode(directory, spec)) {
      await(append(node, 0, 300));
      node.store.checkpoint().get(20, TimeUnit.SECONDS);
      await(append(node, 300, 500)); // only in the log and in memory
      RealNode.copyFiles(directory, image);
    }
    try (RealNode node = new RealNode(image, spec)) {
      assertAllInOrder(node, 500);
      await(append(node, 500, 600));
      assertAllInOrder(node, 600);
    }
  }

  /** Otherwise a node with many routes is slow to start (decision 0036). */
  @Test
  void shouldOpenSeveralReplicasAtTheSameTime() throws Exception {
    new RealNode(directory, spec).close();
    opening = new CountDownLatch(2);
    try (RealNode node = new RealNode(directory, spec)) {
      assertThat(opening.getCount()).isZero();
      assertThat(node.store.status()).hasSize(3).allMatch(replica -> replica.failure() == null);
    }
  }

  @Test
  void shouldCloseWhileAReplicaIsBlocked() throws Exception {
    try (RealNode node = new RealNode(directory, spec)) {
      await(append(node, 0, 6));
      applied = new CountDownLatch(1);
      append(node, 6, 7);
      awaitAtMost20Seconds(applying);
      assertThat(node.store.close(Duration.ofMillis(50))).isFalse();
      applied.countDown(); // so that the rest of this test need not wait
    }
  }

  private static void awaitAtMost20Seconds(CountDownLatch latch) {
    try {
      if (!latch.await(20, TimeUnit.SECONDS)) {
        throw new IllegalStateException("waited for 20 s");
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void shouldRejectCallsAfterItIsClosed() throws Exception {
    RealNode node = new RealNode(directory, spec);
    node.close();
    List<RangeResult> responses = new ArrayList<>();
    RangeId range = new RangeId("words", 1);
    node.store
        .transport()
        .propose(RealNode.SELF, range, RangeEntry.encodeRegister(), responses::add);
    node.store.transport().query(RealNode.SELF, range, 1, 0, bytes("k1"), responses::add);
    assertThat(responses).hasSize(2).hasOnlyElementsOfType(RangeResult.Unavailable.class);
  }

  @Test
  void shouldReopenEveryReplicaWhenAllHaltAtOnce() throws Exception {
    try (RealNode node = new RealNode(directory, spec)) {
      await(append(node, 0, 60));
      broken = true;
      List<CompletableFuture<byte[]>> refused = append(node, 60, 66);
      Await.until("all replicas halted", () -> allHalted(node));
      broken = false;
      await(refused);
      assertAllInOrder(node, 66);
    }
  }

  /** Polled constantly: a replica that halts must not make the status of the others unreadable. */
  private static boolean allHalted(RealNode node) {
    return node.store.status().stream().allMatch(status -> status.failure() != null);
  }

  /** Fails while the test sets {@code broken}. */
  private final class BreakableCoprocessor implements Coprocessor {
    private final Coprocessor inner = new AppendingCoprocessor();

    @Override
    public void open(KeyInterval interval, KvReader state) {
      inner.open(interval, state);
    }

    @Override
    public byte[] apply(ByteBuffer command, ApplyContext context) {
      if (broken) {
        throw new IllegalStateException("broken by the test");
      }
      if (applied.getCount() > 0) {
        applying.countDown();
        awaitAtMost20Seconds(applied);
      }
      return inner.apply(command, context);
    }

    @Override
    public byte[] query(ByteBuffer query, KvReader state) {
      return inner.query(query, state);
    }

    @Override
    public void close() {
      inner.close();
    }
  }

  @Test
  void shouldStartFromATruncatedLog() throws Exception {
    try (RealNode node = new RealNode(directory, spec)) {
      for (int round = 0; round < 4; round++) {
        await(append(node, round * 60, round * 60 + 60));
        node.store.checkpoint().get(20, TimeUnit.SECONDS);
      }
      assertThat(node.store.status())
          .allSatisfy(status -> assertThat(status.logBytesSinceCheckpoint()).isZero());
      RealNode.copyFiles(directory, image);
    }
    try (RealNode node = new RealNode(image, spec)) {
      assertAllInOrder(node, 240);
    }
  }

  /** Appends the numbers to six keys in turn; two keys belong to each range. */
  private static List<CompletableFuture<byte[]>> append(RealNode node, int from, int to) {
    List<CompletableFuture<byte[]>> responses = new ArrayList<>();
    for (int i = from; i < to; i++) {
      String key = "k" + i % 6;
      responses.add(node.client.mutate(bytes(key), bytes(key + ":" + i)));
    }
    return responses;
  }

  private static void await(List<CompletableFuture<byte[]>> responses) throws Exception {
    CompletableFuture.allOf(responses.toArray(CompletableFuture[]::new)).get(20, TimeUnit.SECONDS);
  }

  private static void assertAllInOrder(RealNode node, int end) throws Exception {
    for (int key = 0; key < 6; key++) {
      byte[] value =
          node.client.query(bytes("k" + key), bytes("k" + key)).get(20, TimeUnit.SECONDS);
      int first = key;
      List<String> expected =
          IntStream.range(0, end).filter(i -> i % 6 == first).mapToObj(Integer::toString).toList();
      assertThat(new String(value, UTF_8).split(" ")).containsExactlyElementsOf(expected);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
