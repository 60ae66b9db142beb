package io.fjordmq.range.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.consensus.sim.SimTimers;
import io.fjordmq.common.ManualTimers;
import io.fjordmq.common.Timers;
import io.fjordmq.range.RangeEntry;
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
    return ((RangeEntry.Mutations) RangeEntry.decode(java.nio.ByteBuffer.wrap(entry))).sender();
  }

  private void submitDeferrable(long sender) {
    byte[] entry = batchOf(sender);
    RangeEntry.markDeferrable(entry);
    groups.submit(entry, result -> {});
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
