package io.fjordmq.range.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.kv.Kv;
import io.fjordmq.range.kv.KvBatch;
import io.fjordmq.range.kv.KvSpace;
import io.fjordmq.range.kv.RocksKv;
import io.fjordmq.range.kv.RocksKvSettings;
import io.fjordmq.range.kv.SimKv;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A key is a session of two bytes and a number of four; a session is never divided. */
class SizeMedianFinderTest {
  private static final UnaryOperator<byte[]> SESSION =
      key -> key.length < 2 ? new byte[0] : Arrays.copyOf(key, 2);

  private final SimKv kv = new SimKv(new SimKv.Disk(), Runnable::run);
  private final KvSpace space = kv.space("sessions");

  private static void fill(KvSpace space, int session, int rows, int bytesEach) {
    KvBatch batch = new KvBatch();
    Random noise = new Random(session); // otherwise the rows would compress to almost nothing
    for (int i = 0; i < rows; i++) {
      byte[] value = new byte[bytesEach];
      noise.nextBytes(value);
      batch.put(
          RangeKeys.data(ByteBuffer.allocate(6).putShort((short) session).putInt(i).array()),
          value);
      if (batch.bytes() > 1 << 20) {
        space.write(batch);
        batch = new KvBatch();
      }
    }
    space.write(batch);
  }

  private static byte[] startOf(int session) {
    return ByteBuffer.allocate(2).putShort((short) session).array();
  }

  private static SizeMedianFinder.@Nullable Cut find(KvSpace space, KeyInterval keys) {
    return new SizeMedianFinder(space, keys, SESSION, SizeMedianFinder.MAX_SKIPPED).find().cut();
  }

  private SizeMedianFinder.Cut findMedian() {
    return Objects.requireNonNull(find(space, KeyInterval.ALL));
  }

  @Test
  void shouldFindTheMiddleOfAFewRows() {
    for (int session = 1; session <= 9; session++) {
      fill(space, session, 2, 10);
    }
    assertThat(findMedian().key()).isIn(startOf(5), startOf(6));
    assertThat(findMedian().lighterShare()).isBetween(0.44, 0.5);
    KeyInterval part = new KeyInterval(startOf(7), startOf(9));
    assertThat(Objects.requireNonNull(find(space, part)).key()).isEqualTo(startOf(8));
  }

  @Test
  void shouldHalveBytesRatherThanRows() {
    fill(space, 1, 100, 1);
    fill(space, 2, 100, 1);
    fill(space, 3, 1, 2_000);
    assertThat(findMedian().key()).isEqualTo(startOf(3));
  }

  @Test
  void shouldFindTheMiddleOfMoreRowsThanItMayRead() {
    for (int session = 1; session <= 100; session++) {
      fill(space, session, SizeMedianFinder.MAX_ROWS_READ / 50, 10);
    }
    assertThat(findMedian().lighterShare()).isGreaterThanOrEqualTo(0.45);
    assertThat(findMedian().key()).hasSize(2);
  }

  @Test
  void shouldSplitNextToASessionThatHoldsMostBytes() {
    fill(space, 7, 2 * SizeMedianFinder.MAX_ROWS_READ, 10);
    fill(space, 8, 10, 10);
    fill(space, 3, 100, 10);
    assertThat(findMedian().key()).as("the heavier neighbor is cut off").isEqualTo(startOf(7));
    assertThat(findMedian().lighterShare()).isLessThan(0.01);
  }

  @Test
  void shouldFindTheEndOfALongFirstSession() {
    fill(space, 7, 2 * SizeMedianFinder.MAX_ROWS_READ, 10);
    fill(space, 40_000, 10, 10);
    assertThat(findMedian().key()).isEqualTo(startOf(40_000));
  }

  @Test
  void shouldFindNoSplitKeyInsideASession() {
    assertThat(find(space, KeyInterval.ALL)).as("no rows").isNull();
    fill(space, 7, 1, 10);
    assertThat(find(space, KeyInterval.ALL)).as("one row").isNull();
    fill(space, 7, 100, 10);
    assertThat(find(space, KeyInterval.ALL)).as("few rows").isNull();
    fill(space, 7, 2 * SizeMedianFinder.MAX_ROWS_READ, 10);
    assertThat(find(space, KeyInterval.ALL)).as("many rows").isNull();
  }

  @Test
  void shouldFindTheMiddleOfKeysWithACommonPrefix() {
    String prefix = "factory/hall/line/machine/".repeat(20);
    KvBatch batch = new KvBatch();
    for (int i = 0; i < 3 * SizeMedianFinder.MAX_ROWS_READ; i++) {
      batch.put(RangeKeys.data((prefix + (i % 3) + prefix + i).getBytes()), new byte[10]);
    }
    space.write(batch);
    SizeMedianFinder.Cut cut =
        Objects.requireNonNull(
            new SizeMedianFinder(
                    space, KeyInterval.ALL, UnaryOperator.identity(), SizeMedianFinder.MAX_SKIPPED)
                .find()
                .cut());
    assertThat(cut.lighterShare()).isGreaterThanOrEqualTo(0.45);
  }

  @Test
  void shouldFindTheMiddleInRocksDb(@TempDir Path directory) throws Exception {
    try (Kv rocks = RocksKv.open(directory, RocksKvSettings.DEFAULTS)) {
      KvSpace sessions = rocks.space("sessions");
      for (int session = 1; session <= 64; session++) {
        fill(sessions, session, 100, 4_000);
      }
      fill(sessions, 10, 5_000, 4_000);
      KeyInterval keys = new KeyInterval(startOf(1), startOf(65));
      assertThat(SizeMedianFinder.bytes(sessions, keys))
          .as("in memory")
          .isBetween(20L << 20, 120L << 20);
      rocks.flush().join();
      assertThat(SizeMedianFinder.bytes(sessions, keys))
          .as("on disk")
          .isBetween(40L << 20, 52L << 20);
      SizeMedianFinder.Cut cut = Objects.requireNonNull(find(sessions, keys));
      assertThat(cut.key())
          .as("after the large session, which has 45 %")
          .isIn(startOf(11), startOf(12), startOf(13), startOf(14));
      KeyInterval others = new KeyInterval(startOf(11), startOf(65));
      assertThat(Objects.requireNonNull(find(sessions, others)).lighterShare()).isGreaterThan(0.4);
    }
  }

  /** A drained range: all queues are deleted, but nothing is compacted. */
  private static KvSpace drained(Kv rocks, int sessions, int rowsEach, int bytesEach) {
    KvSpace space = rocks.space("sessions");
    for (int session = 1; session <= sessions; session++) {
      fill(space, session, rowsEach, bytesEach);
    }
    rocks.flush().join();
    KvBatch batch = new KvBatch();
    for (int session = 1; session <= sessions; session++) {
      for (int i = 1; i < rowsEach; i++) { // the first row stays
        batch.delete(
            RangeKeys.data(ByteBuffer.allocate(6).putShort((short) session).putInt(i).array()));
      }
    }
    space.write(batch);
    rocks.flush().join();
    return space;
  }

  @Test
  void shouldAbandonTheSearchAfterSkippingTooManyDeletedRows(@TempDir Path directory)
      throws Exception {
    try (Kv rocks = RocksKv.open(directory, RocksKvSettings.DEFAULTS)) {
      KvSpace space = drained(rocks, 2, 20_000, 400);
      SizeMedianFinder.Result result =
          new SizeMedianFinder(space, KeyInterval.ALL, SESSION, 10_000).find();
      assertThat(result.abandoned()).as("one step is too long").isTrue();
      assertThat(result.cut()).isNull();
    }
  }

  @Test
  void shouldCountTheDeletedRowsOfAllStepsTogether(@TempDir Path directory) throws Exception {
    try (Kv rocks = RocksKv.open(directory, RocksKvSettings.DEFAULTS)) {
      KvSpace space = drained(rocks, 20, 2_000, 20);
      assertThat(new SizeMedianFinder(space, KeyInterval.ALL, SESSION, 10_000).find())
          .as("each step is short enough")
          .isEqualTo(new SizeMedianFinder.Result(null, true));
      SizeMedianFinder.Result found =
          new SizeMedianFinder(space, KeyInterval.ALL, SESSION, 100_000).find();
      assertThat(found.abandoned()).isFalse();
      assertThat(Objects.requireNonNull(found.cut()).key())
          .isIn(startOf(10), startOf(11), startOf(12));
    }
  }
}
