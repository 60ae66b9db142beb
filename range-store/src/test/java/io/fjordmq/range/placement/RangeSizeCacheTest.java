package io.fjordmq.range.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.plugin.RangeLoad;
import io.fjordmq.api.plugin.RangeLoad.Spread;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.kv.KvException;
import io.fjordmq.range.load.RangeSize;
import io.fjordmq.range.store.LedRange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RangeSizeCacheTest {
  private static final long LIMIT = 1_000;
  private final List<Long> measured = new ArrayList<>();
  private long bytes = 7;
  private final List<Long> searchedAt = new ArrayList<>();
  private long now;
  private boolean abandonsSearch = true;
  private byte @Nullable [] halvingKey;
  private final RangeSizeCache sizes =
      new RangeSizeCache(
          range -> {
            measured.add(range.id().number());
            if (bytes < 0) {
              throw new KvException(KvException.Kind.IO_ERROR, "simulated");
            }
            return bytes;
          },
          (range, bytes) -> {
            searchedAt.add(now / 1_000);
            return new RangeSize(bytes, halvingKey, abandonsSearch && halvingKey == null);
          },
          LIMIT);

  private static LedRange ledRange(int number, long version) {
    Spread none = new Spread(0, 0, 0);
    return new LedRange(
        new RangeDescriptor(
            new RangeId("words", number),
            KeyInterval.ALL,
            new RangeEpoch(version, 1),
            ReplicaSet.ofVoters(new NodeId("a"))),
        new RangeLoad(
            "words", "words-" + number, Duration.ZERO, none, 0, Duration.ZERO, none, 0, List::of),
        0,
        true);
  }

  private long size(LedRange range) {
    return sizes.get(range).bytes();
  }

  @Test
  void shouldMeasureARangePeriodicallyAndWhenItsEpochChanges() {
    sizes.refresh(List.of(ledRange(1, 1)), 0);
    bytes = 8;
    sizes.refresh(List.of(ledRange(1, 1)), RangeSizeCache.REFRESH_MILLIS - 1);
    assertThat(size(ledRange(1, 1))).isEqualTo(7);
    sizes.refresh(List.of(ledRange(1, 1)), RangeSizeCache.REFRESH_MILLIS);
    assertThat(size(ledRange(1, 1))).isEqualTo(8);
    assertThat(size(ledRange(1, 2))).as("another epoch").isNegative();
    bytes = 9;
    sizes.refresh(List.of(ledRange(1, 2)), RangeSizeCache.REFRESH_MILLIS + 1);
    assertThat(size(ledRange(1, 2))).isEqualTo(9);
  }

  @Test
  void shouldMeasureAFewRangesAtATimeInTurn() {
    int many = 2 * RangeSizeCache.MAX_PER_CALL + 1;
    List<LedRange> all = IntStream.range(0, many).mapToObj(i -> ledRange(i, 1)).toList();
    sizes.refresh(all, 0);
    assertThat(measured).hasSize(RangeSizeCache.MAX_PER_CALL);
    // More ranges than can be measured in time: none is starved by the others.
    sizes.refresh(all, RangeSizeCache.REFRESH_MILLIS);
    sizes.refresh(all, 2 * RangeSizeCache.REFRESH_MILLIS);
    assertThat(measured).contains(many - 1L);
    assertThat(all).allMatch(range -> size(range) == 7);
  }

  @Test
  void shouldNotKnowSizesWhileTheStorageFailsOrAnotherNodeLeads() {
    bytes = -1;
    sizes.refresh(List.of(ledRange(1, 1)), 0);
    assertThat(size(ledRange(1, 1))).isNegative();
    bytes = 7;
    sizes.refresh(List.of(ledRange(2, 1)), 1);
    sizes.refresh(List.of(ledRange(1, 1)), 2);
    assertThat(size(ledRange(1, 1))).as("measured as soon as it is led again").isEqualTo(7);
    assertThat(size(ledRange(2, 1))).isNegative();
  }

  /** Refreshes as often as a node evaluates the ranges that it leads. */
  private void refreshEverySecond(Duration time, long version) {
    long end = now + time.toMillis();
    for (; now < end; now += 1_000) {
      sizes.refresh(List.of(ledRange(1, version)), now);
    }
  }

  @Test
  void shouldSearchForTheKeyOnlyAboveTheLimit() {
    bytes = LIMIT;
    refreshEverySecond(Duration.ofMinutes(1), 1);
    assertThat(searchedAt).isEmpty();
    halvingKey = new byte[] {7};
    bytes = LIMIT + 1;
    refreshEverySecond(Duration.ofMinutes(2), 1);
    assertThat(searchedAt).as("as long as it is not split").containsExactly(60L, 90L, 120L, 150L);
    assertThat(sizes.get(ledRange(1, 1)).halvingKey()).containsExactly(7);
  }

  @Test
  void shouldBackOffWhileNoKeyIsFound() {
    bytes = 2 * LIMIT;
    refreshEverySecond(Duration.ofHours(3), 1);
    assertThat(searchedAt)
        .containsExactly(0L, 30L, 90L, 210L, 450L, 930L, 1_890L, 3_690L, 5_490L, 7_290L, 9_090L);
    assertThat(measured).as("the size is measured all the same").hasSize(360);
    assertThat(sizes.get(ledRange(1, 1)).searchAbandoned()).isTrue();
    assertThat(size(ledRange(1, 1))).isEqualTo(2 * LIMIT);
  }

  @Test
  void shouldSearchImmediatelyWhenTheRangeHasChanged() {
    bytes = 2 * LIMIT;
    refreshEverySecond(Duration.ofHours(1), 1);
    searchedAt.clear();
    bytes = 2 * LIMIT * 6 / 5;
    refreshEverySecond(Duration.ofMinutes(1), 1);
    assertThat(searchedAt).as("a fifth more").isEmpty();
    bytes = 2 * LIMIT * 3 / 4;
    abandonsSearch = false;
    refreshEverySecond(Duration.ofMinutes(1), 1);
    assertThat(searchedAt).as("a quarter less").containsExactly(3_660L, 3_690L);
    assertThat(sizes.get(ledRange(1, 1)).searchAbandoned()).isFalse();
    searchedAt.clear();
    sizes.refresh(List.of(ledRange(1, 2)), now);
    assertThat(searchedAt).as("another epoch").hasSize(1);
  }
}
