package io.fjordmq.range.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class RouteTableUpdaterTest extends RangeClientFixture {
  @Test
  void shouldMoveCommandsToTheRangesThatHoldTheirKeysNow() {
    RangeDescriptor left = range(1, "", "c", 2);
    RangeDescriptor right = range(3, "c", "m", 2);
    CompletableFuture<byte[]> inFlight = mutate("d1");
    CompletableFuture<byte[]> staying = mutate("a2");
    CompletableFuture<byte[]> moving = mutate("d3");
    ranges.takeBatch().reply().accept(new RangeResult.StaleEpoch(List.of(left, right)));

    FakeRanges.BatchAttempt toLeft = ranges.takeBatch();
    FakeRanges.BatchAttempt toRight = ranges.takeBatch();
    if (toLeft.range().number() == 3) {
      FakeRanges.BatchAttempt other = toLeft;
      toLeft = toRight;
      toRight = other;
    }
    assertThat(toLeft.range()).isEqualTo(left.id());
    assertThat(toLeft.commands()).containsExactly("a2");
    assertThat(toLeft.epochVersion()).isEqualTo(2);
    assertThat(toRight.range()).isEqualTo(right.id());
    assertThat(toRight.commands()).containsExactly("d1", "d3"); // in call order
    toLeft.apply();
    toRight.apply();
    assertThat(List.of(inFlight, staying, moving)).allMatch(CompletableFuture::isDone);
    assertThat(client.locate(KeyInterval.ALL)).hasSize(3);
  }

  @Test
  void shouldRegroupAGroupedCommandAfterASplit() {
    var responses =
        client.mutateGrouped(
            List.of(bytes("a"), bytes("d"), bytes("b")),
            positions -> bytes("p" + java.util.Arrays.toString(positions)));
    FakeRanges.BatchAttempt whole = ranges.takeBatch();
    assertThat(whole.commands()).containsExactly("p[0, 1, 2]");
    whole
        .reply()
        .accept(new RangeResult.StaleEpoch(List.of(range(1, "", "c", 2), range(3, "c", "m", 2))));
    List<String> commands = new ArrayList<>();
    while (!ranges.batches.isEmpty()) {
      FakeRanges.BatchAttempt part = ranges.takeBatch();
      commands.addAll(part.commands());
      part.apply();
    }
    assertThat(commands).containsExactlyInAnyOrder("p[0, 2]", "p[1]");
    assertThat(responses).isCompleted();
    assertThat(responses.join()).hasSize(2);
  }

  @Test
  void shouldWaitUntilAllRangesOfAChangeAreKnown() {
    CompletableFuture<byte[]> response = mutate("c1");
    ranges.takeBatch().reply().accept(new RangeResult.StaleEpoch(List.of(range(1, "", "c", 2))));
    assertThat(response).isNotDone();
    client.update(List.of(range(1, "", "c", 2)));
    timers.advance(Duration.ofMillis(10));
    FakeRanges.BatchAttempt again = ranges.takeBatch();
    assertThat(again.epochVersion()).as("no newer epoch is known").isEqualTo(1);
    again
        .reply()
        .accept(new RangeResult.StaleEpoch(List.of(range(1, "", "c", 2), range(3, "c", "m", 2))));
    FakeRanges.BatchAttempt moved = ranges.takeBatch();
    assertThat(moved.range().number()).isEqualTo(3);
    moved.apply();
    assertThat(response).isDone();
  }

  @Test
  void shouldPauseWhenAReplicaLagsBehindTheClient() {
    mutate("a1");
    ranges.takeBatch().reply().accept(new RangeResult.StaleEpoch(List.of(range(1, "", "m", 1))));
    assertThat(ranges.batches).isEmpty();
    timers.advance(Duration.ofMillis(10));
    assertThat(ranges.takeBatch().commands()).containsExactly("a1");
  }

  @Test
  void shouldUpdateIdleRangesImmediatelyAndBusyOnesAfterTheirBatch() {
    client.update(List.of(range(2, "m", null, 5)));
    mutate("z1");
    assertThat(ranges.batches.element().epochVersion()).isEqualTo(5);
    client.update(List.of(range(2, "m", null, 6)));
    mutate("z2");
    ranges.takeBatch().apply();
    assertThat(ranges.batches.element().epochVersion()).isEqualTo(6);
    client.update(List.of(range(2, "m", null, 7)));
    timers.advance(SETTINGS.deadline());
    ranges.batches.clear();
    timers.advance(SETTINGS.deadline());
    mutate("z3");
    assertThat(ranges.takeBatch().epochVersion()).as("after it was abandoned").isEqualTo(7);
  }

  /** The replicas tried so far may all have been dropped, so they cannot respond. */
  @Test
  void shouldAskTheCurrentRangesAboutABatchThatIsInFlightDuringASplit() {
    CompletableFuture<byte[]> response = mutate("a1");
    NodeId holder = new NodeId("z");
    client.update(List.of(withVoters(range(1, "", "m", 2), 2, holder)));
    ranges.takeBatch().reply().accept(new RangeResult.Unavailable("no replica"));
    timers.advance(Duration.ofMillis(20));
    FakeRanges.BatchAttempt again = ranges.takeBatch();
    assertThat(again.node()).isEqualTo(holder);
    assertThat(again.epochVersion()).as("the outcome is needed first").isEqualTo(1);
    again.reply().accept(new RangeResult.StaleEpoch(List.of(range(1, "", "m", 2))));
    FakeRanges.BatchAttempt moved = ranges.takeBatch();
    assertThat(moved.node()).isEqualTo(holder);
    assertThat(moved.epochVersion()).isEqualTo(2);
    moved.apply();
    assertThat(response).isDone();
  }

  @Test
  void shouldAskTheAbsorbingRangeForTheOutcomeOfABatch() {
    mutate("z1");
    NodeId holder = new NodeId("z");
    client.update(List.of(withVoters(range(1, "", null, 2), 2, holder)));
    ranges.takeBatch().reply().accept(new RangeResult.Unavailable("no replica"));
    timers.advance(Duration.ofMillis(20));
    FakeRanges.BatchAttempt again = ranges.takeBatch();
    assertThat(again.range().number()).isEqualTo(2);
    assertThat(again.node()).isEqualTo(holder);
  }

  @Test
  void shouldNotDelayAChangeOfOneRangeBecauseOfAnother() {
    mutate("z1");
    client.update(List.of(range(2, "m", null, 2)));
    FakeRanges.BatchAttempt slow = ranges.takeBatch();
    mutate("a1");
    ranges
        .takeBatch()
        .reply()
        .accept(new RangeResult.StaleEpoch(List.of(range(1, "", "c", 2), range(3, "c", "m", 2))));
    assertThat(ranges.takeBatch().epochVersion()).as("range 1, current descriptor").isEqualTo(2);
    slow.apply();
    mutate("z2");
    assertThat(ranges.batches).hasSize(1);
    assertThat(ranges.takeBatch().epochVersion()).as("range 2, once idle").isEqualTo(2);
  }

  @Test
  void shouldPauseBeforeARetryWhileAChangeWaitsForAnotherRange() {
    mutate("z1");
    ranges.takeBatch();
    mutate("a1");
    FakeRanges.BatchAttempt left = ranges.takeBatch();
    left.reply().accept(new RangeResult.StaleEpoch(List.of(range(1, "", null, 2))));
    assertThat(ranges.batches).as("nothing until a pause is over").isEmpty();
  }

  @Test
  void shouldAcceptACommandFromACallbackWhileSending() {
    List<CompletableFuture<byte[]>> last = new ArrayList<>();
    mutate("a1");
    FakeRanges.BatchAttempt slow = ranges.takeBatch();
    mutate("a2").thenRun(() -> last.add(mutate("z1")));
    client.update(List.of(range(1, "", "c", 2), range(2, "c", null, 2)));
    ranges.applyImmediately(batch -> batch.epochVersion() == 2);
    slow.apply();
    assertThat(last).hasSize(1).allMatch(CompletableFuture::isDone);
  }

  @Test
  void shouldKeepQueuedCommandsWhileOnlyPartOfAChangeIsKnown() {
    mutate("z1");
    FakeRanges.BatchAttempt slow = ranges.takeBatch();
    client.update(List.of(range(2, "m", null, 2)));
    client.update(List.of(range(1, "", "c", 2))); // the outcome of "c" to "m" is unknown
    slow.apply();
    mutate("z2");
    assertThat(ranges.takeBatch().epochVersion()).isEqualTo(2);
  }

  /** A replica reports the members of its group as of its creation. */
  @Test
  void shouldSendToThePublishedReplicasDespiteAnOlderReplicaSet() {
    client.update(List.of(withVoters(range(1, "", "m", 1), 5, B, C)));
    mutate("a1");
    ranges
        .takeBatch()
        .reply()
        .accept(new RangeResult.StaleEpoch(List.of(withVoters(range(1, "", "m", 2), 1, A))));
    FakeRanges.BatchAttempt again = ranges.takeBatch();
    assertThat(again.epochVersion()).isEqualTo(2);
    assertThat(again.node()).isEqualTo(B);
  }

  @Test
  void shouldSendToNewReplicasWhileABatchIsInFlight() {
    CompletableFuture<byte[]> response = mutate("a1");
    CompletableFuture<byte[]> waiting = mutate("a2");
    FakeRanges.BatchAttempt first = ranges.takeBatch();
    assertThat(first.node()).isEqualTo(A);
    NodeId added = new NodeId("z");
    client.update(List.of(withVoters(range(1, "", "m", 1), 2, B, added)));
    assertThat(ranges.batches).as("the outcome is needed first").isEmpty();
    first.reply().accept(new RangeResult.OutcomeUnknown("node stopped"));
    timers.advance(Duration.ofMillis(10));
    FakeRanges.BatchAttempt again = ranges.takeBatch();
    assertThat(again.node()).isEqualTo(B);
    assertThat(again.number()).isEqualTo(first.number());
    again.apply();
    ranges.takeBatch().apply();
    assertThat(List.of(response, waiting)).allMatch(CompletableFuture::isDone);
    assertThat(mutate("a3")).isNotDone();
    assertThat(ranges.takeBatch().node()).isEqualTo(B);
  }

  @Test
  void shouldKeepTheLeaderWhenOtherReplicasChange() {
    mutate("a1");
    ranges.takeBatch().reply().accept(new RangeResult.NotLeader(C));
    ranges.takeBatch().apply();
    client.update(List.of(withVoters(range(1, "", "m", 1), 2, B, C)));
    mutate("a2");
    assertThat(ranges.takeBatch().node()).isEqualTo(C);
  }

  @Test
  void shouldDiscardReplicaSetsFromBeforeAChange() {
    client.update(List.of(withVoters(range(1, "", "m", 1), 3, C)));
    client.update(List.of(withVoters(range(1, "", "m", 1), 2, B)));
    mutate("a1");
    assertThat(ranges.takeBatch().node()).isEqualTo(C);
  }
}
