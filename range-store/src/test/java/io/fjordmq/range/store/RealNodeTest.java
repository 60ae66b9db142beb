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
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The engine on what it really runs on: sofa-jraft, RocksDB, threads. */
class RealNodeTest {
  @TempDir Path directory;
  @TempDir Path image;

  private volatile boolean broken;
  private final Set<Object> effects = ConcurrentHashMap.newKeySet();
  private final StoreSpec spec =
      new StoreSpec(
          "words",
          List.of(bytes("k2"), bytes("k4")),
          id -> new Breakable(),
          (range, emitted) -> effects.addAll(emitted));

  @Test
  void shouldHaveEverythingAfterACleanRestart() throws Exception {
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
  void shouldHaveWhatWasAcknowledgedAfterItWasKilled() throws Exception {
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

  @Test
  void shouldRefuseWhatComesAfterItsEnd() throws Exception {
    RealNode node = new RealNode(directory, spec);
    node.close();
    List<RangeResult> answers = new ArrayList<>();
    RangeId range = new RangeId("words", 1);
    node.store.propose(RealNode.SELF, range, RangeEntry.encodeRegister(), answers::add);
    node.store.query(RealNode.SELF, range, 1, 0, bytes("k1"), answers::add);
    assertThat(answers).hasSize(2).hasOnlyElementsOfType(RangeResult.Unavailable.class);
  }

  @Test
  void shouldOpenEveryReplicaAgainWhenAllHaltAtOnce() throws Exception {
    try (RealNode node = new RealNode(directory, spec)) {
      await(append(node, 0, 60));
      broken = true;
      List<CompletableFuture<byte[]>> refused = append(node, 60, 66);
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      while (!allHalted(node)) {
        assertThat(System.nanoTime()).as("waited for all to halt").isLessThan(deadline);
        LockSupport.parkNanos(1_000_000);
      }
      broken = false;
      await(refused);
      assertAllInOrder(node, 66);
    }
  }

  /** Asked all the while: a replica that halts must not make the others' status unreadable. */
  private static boolean allHalted(RealNode node) {
    return node.store.status().stream().allMatch(status -> status.failure() != null);
  }

  /** Fails while the test says so. */
  private final class Breakable implements Coprocessor {
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
  void shouldStartFromACutLog() throws Exception {
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

  /** Appends the numbers to six keys in turn; two keys to each range. */
  private static List<CompletableFuture<byte[]>> append(RealNode node, int from, int to) {
    List<CompletableFuture<byte[]>> answers = new ArrayList<>();
    for (int i = from; i < to; i++) {
      String key = "k" + i % 6;
      answers.add(node.client.mutate(bytes(key), bytes(key + ":" + i)));
    }
    return answers;
  }

  private static void await(List<CompletableFuture<byte[]>> answers) throws Exception {
    CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).get(20, TimeUnit.SECONDS);
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
