package io.fjordmq.router;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.range.KeyInterval;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Goal: a node reports an index as applied only if its table contains every earlier change. */
class AppliedRoutesTest {
  private static final long PARENT = 1;
  private static final long CHILD = 2;
  private static final long GRANDCHILD = 3;

  private final AppliedRoutes applied = new AppliedRoutes();

  @SuppressWarnings("NullAway") // NullAway does not read the nullness of arrays from class files
  private static KeyInterval keys(int start, @Nullable Integer end) {
    byte[] first = start == 0 ? new byte[0] : new byte[] {(byte) start};
    return new KeyInterval(first, end == null ? null : new byte[] {end.byteValue()});
  }

  private void openReplica(long range, KeyInterval held, long index) {
    openReplica(range, held, index, List.of());
  }

  private void openReplica(long range, KeyInterval held, long index, List<Long> parts) {
    applied.opened(range, held, parts);
    applied.advance(range, index);
  }

  @Test
  void shouldReportTheIndexOfTheReplicaWhileItsKeysAreUnchanged() {
    CompletableFuture<Long> later = applied.whenApplied(PARENT, 51);
    openReplica(PARENT, KeyInterval.ALL, 50);
    assertThat(applied.index(PARENT)).isEqualTo(50);
    assertThat(later).isNotDone();

    applied.advance(PARENT, 60);
    assertThat(later).isCompletedWithValue(60L);
    openReplica(PARENT, KeyInterval.ALL, 60);
    assertThat(applied.index(PARENT)).isEqualTo(60);
  }

  @Test
  void shouldAdvanceOverASplitInTheLog() {
    openReplica(PARENT, KeyInterval.ALL, 50);
    applied.narrowed(PARENT, keys(0, 8));
    applied.advance(PARENT, 51);
    assertThat(applied.index(PARENT)).isEqualTo(51);

    openReplica(CHILD, keys(8, null), 10);
    assertThat(applied.index(CHILD)).isEqualTo(10);
  }

  @Test
  void shouldHoldBackTheIndexOfASnapshotTakenAfterASplit() {
    openReplica(PARENT, KeyInterval.ALL, 50);
    CompletableFuture<Long> before = applied.whenApplied(PARENT, 60);

    openReplica(PARENT, keys(0, 8), 80);
    applied.advance(PARENT, 81);
    assertThat(applied.index(PARENT)).isEqualTo(50);
    assertThat(before).isNotDone();

    openReplica(CHILD, keys(8, null), 12);
    assertThat(before).isCompletedWithValue(81L);
    assertThat(applied.index(PARENT)).isEqualTo(81);
    assertThat(applied.index(CHILD)).isEqualTo(12);
  }

  @Test
  void shouldWaitForAllMissingKeys() {
    openReplica(PARENT, KeyInterval.ALL, 50);
    openReplica(PARENT, keys(0, 8), 80);

    openReplica(CHILD, keys(8, 9), 12);
    assertThat(applied.index(PARENT)).isEqualTo(50);
    openReplica(GRANDCHILD, keys(9, null), 10);
    assertThat(applied.index(PARENT)).isEqualTo(80);
  }

  /** The child may have held the keys of the grandchild when its log was at index 12. */
  @Test
  void shouldNotTrustTheFirstSnapshotOfARangeForFormerKeys() {
    openReplica(PARENT, KeyInterval.ALL, 50);
    applied.narrowed(PARENT, keys(0, 8));
    applied.advance(PARENT, 51);

    openReplica(CHILD, keys(8, 9), 40);
    assertThat(applied.index(CHILD)).isZero();
    applied.advance(PARENT, 52);
    assertThat(applied.index(PARENT)).isEqualTo(52);

    openReplica(GRANDCHILD, keys(9, null), 10);
    assertThat(applied.index(CHILD)).isEqualTo(40);
  }

  /** A range that advances with its log does not wait for keys missing in other ranges. */
  @Test
  void shouldHoldBackOnlyTheRangeWithMissingKeys() {
    openReplica(PARENT, keys(0, 8), 50);
    openReplica(CHILD, keys(8, null), 50);
    assertThat(applied.index(PARENT)).isEqualTo(50);
    openReplica(CHILD, keys(8, 9), 60);

    applied.advance(PARENT, 51);
    openReplica(PARENT, keys(0, 8), 52);
    assertThat(applied.index(PARENT)).isEqualTo(52);
    assertThat(applied.index(CHILD)).isEqualTo(50);

    applied.narrowed(PARENT, keys(0, 4));
    openReplica(4, keys(4, 8), 11);
    assertThat(applied.index(4)).isEqualTo(11);
  }

  @Test
  void shouldWaitAgainWhenMoreKeysGoMissing() {
    openReplica(PARENT, KeyInterval.ALL, 50);
    openReplica(PARENT, keys(0, 8), 80);
    openReplica(PARENT, keys(0, 4), 90);
    openReplica(CHILD, keys(8, null), 12);
    assertThat(applied.index(PARENT)).isEqualTo(50);
    openReplica(GRANDCHILD, keys(4, 8), 12);
    assertThat(applied.index(PARENT)).isEqualTo(90);
  }

  @Test
  void shouldAdvanceOverAMergeInTheLog() {
    openReplica(PARENT, keys(0, 8), 50);
    openReplica(CHILD, keys(8, null), 70);
    CompletableFuture<Long> partApplied = applied.whenApplied(CHILD, 71);
    openReplica(PARENT, KeyInterval.ALL, 51, List.of(CHILD));
    assertThat(applied.index(PARENT)).isEqualTo(51);
    assertThat(partApplied).as("the table contains its complete log").isCompleted();
    applied.advance(CHILD, 72);
    assertThat(applied.index(CHILD)).as("its replica is about to close").isGreaterThan(72);
  }

  /**
   * The replica of the absorbed range lags on this node, and the snapshot of its neighbor was taken
   * after the merge.
   */
  @Test
  void shouldAcceptASnapshotTakenAfterAMergeForBothRanges() {
    openReplica(PARENT, keys(0, 8), 50);
    openReplica(CHILD, keys(8, null), 12);
    CompletableFuture<Long> partApplied = applied.whenApplied(CHILD, 40);
    assertThat(partApplied).isNotDone();
    openReplica(PARENT, KeyInterval.ALL, 90, List.of(CHILD));
    assertThat(applied.index(PARENT)).isEqualTo(90);
    assertThat(partApplied).isCompleted();
  }

  /**
   * The parent absorbed the keys of the child, changed them and moved them away again; the replica
   * of the child on this node predates that.
   */
  @Test
  void shouldNotTrustAnAbsorbedReplicaForLaterChanges() {
    openReplica(PARENT, keys(0, 8), 50);
    openReplica(CHILD, keys(8, null), 12);
    CompletableFuture<Long> partApplied = applied.whenApplied(CHILD, 40);
    openReplica(PARENT, keys(0, 4), 90, List.of(CHILD));
    assertThat(applied.index(PARENT)).isEqualTo(50);
    assertThat(applied.index(CHILD)).isEqualTo(12);

    openReplica(GRANDCHILD, keys(4, 9), 10);
    assertThat(applied.index(PARENT)).as("the rest of the child's keys is missing").isEqualTo(50);
    assertThat(partApplied).isNotDone();
    openReplica(4, keys(9, null), 10);
    assertThat(applied.index(PARENT)).isEqualTo(90);
    assertThat(partApplied).isCompleted();
  }

  /** Like the previous test, without a replica of the absorbed range on this node. */
  @Test
  void shouldWaitForAllUnheldKeysAfterAMerge() {
    openReplica(PARENT, keys(0, 2), 50);
    openReplica(GRANDCHILD, keys(4, 8), 50);
    openReplica(CHILD, keys(2, 4), 90, List.of(4L));
    assertThat(applied.index(CHILD)).isZero();
    openReplica(5, keys(8, null), 10);
    assertThat(applied.index(CHILD)).isEqualTo(90);
    assertThat(applied.whenApplied(4, 1_000)).isCompleted();
  }

  /** Keys that one replica holds now are no longer held by another. */
  @Test
  void shouldIgnoreKeysOfARemovedReplica() {
    openReplica(PARENT, keys(0, 8), 50);
    openReplica(CHILD, keys(8, null), 50);
    openReplica(GRANDCHILD, keys(8, 9), 20);
    openReplica(PARENT, KeyInterval.ALL, 60);
    openReplica(PARENT, keys(0, 8), 80);
    assertThat(applied.index(PARENT)).as("no replica holds 8 and later keys").isEqualTo(60);
  }
}
