package io.fjordmq.range.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.consensus.sim.SimTimers;
import io.fjordmq.common.ManualTimers;
import io.fjordmq.common.Timers;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.RangeResult;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GroupCommitTest {
  private static final Duration INTERVAL = Duration.ofMillis(16);
  private static final Duration GATHER = INTERVAL.dividedBy(8);
  private static final Duration MILLI = Duration.ofMillis(1);

  private final ManualTimers timers = new ManualTimers();
  private final List<Long> proposed = new ArrayList<>();
  private GroupCommit groups = groupCommit(INTERVAL);

  private GroupCommit groupCommit(Duration interval) {
    return groupCommit(interval, timers);
  }

  private GroupCommit groupCommit(Duration interval, Timers timers) {
    return new GroupCommit(interval, timers, (entry, reply) -> proposed.add(senderOf(entry)));
  }

  private static long senderOf(byte[] entry) {
    return ((RangeEntry.Mutations) RangeEntry.decode(ByteBuffer.wrap(entry))).sender();
  }

  private void submitDeferrable(long sender) {
    byte[] entry = batchOf(sender);
    RangeEntry.markDeferrable(entry);
    groups.submit(entry, result -> {});
  }

  /** Submits a batch that has been applied by the time its group is proposed. */
  private List<RangeResult> submitForResult(byte[] entry) {
    List<RangeResult> results = new ArrayList<>();
    groups.submit(entry, results::add);
    return results;
  }

  private void submitUrgent(long sender) {
    groups.submit(batchOf(sender), result -> {});
  }

  private static byte[] batchOf(long sender) {
    return RangeEntry.encodeMutations(1, sender, 1, 100, List.of(new byte[1]));
  }

  /** Two senders whose batches have arrived together, so that groups of two are expected. */
  private void formGroupOfTwo() {
    submitDeferrable(1);
    timers.advance(INTERVAL.dividedBy(2));
    submitDeferrable(1);
    submitDeferrable(2);
    timers.advance(INTERVAL);
    assertThat(proposed).containsExactly(1L, 1L, 2L);
    proposed.clear();
  }

  @Test
  void shouldNotDelayABatchThatMayNotBeDeferred() {
    submitUrgent(1);
    submitUrgent(2);
    assertThat(proposed).containsExactly(1L, 2L);
  }

  @Test
  void shouldNotDelayTheBatchesOfASingleSenderThatKeepsTheInterval() {
    for (int round = 1; round <= 5; round++) {
      submitDeferrable(1);
      assertThat(proposed).hasSize(round);
      timers.advance(INTERVAL);
    }
  }

  @Test
  void shouldNotDelayTheBatchesOfASingleSenderWithAShorterInterval() {
    for (int batch = 0; batch < 16; batch++) {
      submitDeferrable(1);
      timers.advance(INTERVAL.dividedBy(2));
    }
    proposed.clear();
    for (int batch = 1; batch <= 5; batch++) {
      submitDeferrable(1);
      assertThat(proposed).hasSize(batch);
      timers.advance(INTERVAL.dividedBy(2));
    }
  }

  @Test
  void shouldTellSendersWhenTheNextGroupIsFormed() {
    Duration commit = Duration.ofMillis(3);
    groups =
        new GroupCommit(
            INTERVAL,
            timers,
            (entry, reply) -> {
              timers.advance(commit);
              reply.accept(new RangeResult.Applied(7, List.of()));
            });
    byte[] entry = batchOf(1);
    RangeEntry.markDeferrable(entry);
    Duration expected = INTERVAL.minus(GATHER.dividedBy(2)).minus(commit);
    assertThat(submitForResult(entry))
        .containsExactly(new RangeResult.Applied(7, List.of(), expected.toNanos() / 1000));
  }

  @Test
  void shouldPaceOnlySendersThatUnderstandIt() {
    groups =
        new GroupCommit(
            INTERVAL,
            timers,
            (entry, reply) -> reply.accept(new RangeResult.Applied(7, List.of())));
    byte[] ofEarlierVersion = batchOf(1);
    ByteBuffer.wrap(ofEarlierVersion).putLong(RangeEntry.CLOCK_OFFSET, RangeEntry.DEFERRABLE);
    assertThat(RangeEntry.isDeferrable(ofEarlierVersion)).isTrue();
    assertThat(submitForResult(ofEarlierVersion))
        .containsExactly(new RangeResult.Applied(7, List.of()));
    assertThat(submitForResult(batchOf(2))).containsExactly(new RangeResult.Applied(7, List.of()));
  }

  @Test
  void shouldProposeBatchesThatArriveWithinAnIntervalTogether() {
    submitDeferrable(1);
    timers.advance(INTERVAL.dividedBy(2));
    submitDeferrable(2);
    timers.advance(MILLI);
    submitDeferrable(3);
    assertThat(proposed).containsExactly(1L);
    timers.advance(INTERVAL.dividedBy(2).plus(GATHER));
    assertThat(proposed).containsExactly(1L, 2L, 3L);
  }

  @Test
  void shouldProposeAGroupAsSoonAsTheExpectedBatchesHaveArrived() {
    formGroupOfTwo();
    timers.advance(INTERVAL);
    submitDeferrable(1);
    assertThat(proposed).isEmpty();
    submitDeferrable(2);
    assertThat(proposed).containsExactly(1L, 2L);
  }

  @Test
  void shouldWaitForAMissingBatchOnlyForAFractionOfTheInterval() {
    formGroupOfTwo();
    timers.advance(INTERVAL);
    submitDeferrable(1);
    timers.advance(GATHER.minus(MILLI));
    assertThat(proposed).isEmpty();
    timers.advance(MILLI);
    assertThat(proposed).containsExactly(1L);
  }

  @Test
  void shouldNotExpectASenderThatHasBecomeIdle() {
    formGroupOfTwo();
    timers.advance(INTERVAL);
    submitDeferrable(1);
    timers.advance(INTERVAL.plus(GATHER));
    proposed.clear();
    submitDeferrable(1);
    assertThat(proposed).containsExactly(1L);
  }

  @Test
  void shouldNotMakeABatchThatHasJustMissedItsGroupWaitForTheNextOne() {
    submitDeferrable(1);
    timers.advance(MILLI);
    submitDeferrable(2);
    assertThat(proposed).containsExactly(1L, 2L);
  }

  @Test
  void shouldProposeWaitingBatchesWithOneThatMayNotBeDeferred() {
    formGroupOfTwo();
    timers.advance(INTERVAL.dividedBy(2));
    submitDeferrable(1);
    submitUrgent(2);
    assertThat(proposed).containsExactly(1L, 2L);
  }

  @Test
  void shouldProposeWaitingBatchesWhenFlushed() {
    formGroupOfTwo();
    timers.advance(INTERVAL.dividedBy(2));
    submitDeferrable(1);
    groups.flush();
    assertThat(proposed).containsExactly(1L);
    timers.advance(INTERVAL.multipliedBy(2));
    assertThat(proposed).containsExactly(1L);
  }

  @Test
  void shouldNotDelayAnyBatchWithoutAnInterval() {
    groups = groupCommit(Duration.ZERO);
    for (int round = 1; round <= 5; round++) {
      submitDeferrable(round);
      assertThat(proposed).hasSize(round);
    }
  }

  @Test
  void shouldNotWaitForATimerThatIsLate() {
    List<Runnable> late = new ArrayList<>();
    groups =
        groupCommit(INTERVAL, new SimTimers(timers::nowMillis, (task, delay) -> late.add(task)));
    submitDeferrable(1);
    timers.advance(INTERVAL.dividedBy(2));
    submitDeferrable(2);
    timers.advance(INTERVAL);
    assertThat(proposed).containsExactly(1L);
    submitDeferrable(3);
    assertThat(proposed).containsExactly(1L, 2L, 3L);
    late.forEach(Runnable::run);
    assertThat(proposed).hasSize(3);
  }
}
