package io.fjordmq.range.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.common.ManualTimers;
import io.fjordmq.range.RangeException;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.RangeResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class BatchRetryTest extends RangeClientFixture {
  @Test
  void shouldRepeatABatchOfUnknownOutcomeUnderTheSameNumber() {
    CompletableFuture<byte[]> response = mutate("a1");
    mutate("a2");
    FakeRanges.BatchAttempt first = ranges.takeBatch();
    first.reply().accept(new RangeResult.OutcomeUnknown("leader changed"));
    assertThat(ranges.batches).isEmpty();
    timers.advance(Duration.ofMillis(10));
    FakeRanges.BatchAttempt again = ranges.takeBatch();
    assertThat(again.number()).isEqualTo(first.number());
    assertThat(again.sender()).isEqualTo(first.sender());
    assertThat(again.commands()).containsExactly("a1");
    again.apply();
    assertThat(response).isCompleted();
  }

  @Test
  void shouldRepeatABatchWithoutAReplyAndAcceptTheReplyToAnyAttempt() {
    CompletableFuture<byte[]> response = mutate("a1");
    FakeRanges.BatchAttempt first = ranges.takeBatch();
    timers.advance(Duration.ofMillis(130));
    FakeRanges.BatchAttempt second = ranges.takeBatch();
    assertThat(second.number()).isEqualTo(first.number());
    assertThat(second.node()).isNotEqualTo(first.node());
    first.apply();
    assertThat(response).isCompleted();
    second.reply().accept(new RangeResult.OutcomeUnknown("too late to matter"));
    timers.advance(Duration.ofMillis(500));
    assertThat(ranges.batches).isEmpty();
  }

  @Test
  void shouldFollowAHintImmediatelyAndThenPreferThatNode() {
    mutate("a1");
    FakeRanges.BatchAttempt first = ranges.takeBatch();
    assertThat(first.node()).isEqualTo(A);
    first.reply().accept(new RangeResult.NotLeader(C));
    FakeRanges.BatchAttempt second = ranges.takeBatch();
    assertThat(second.node()).isEqualTo(C);
    second.apply();
    mutate("a2");
    assertThat(ranges.takeBatch().node()).isEqualTo(C);
  }

  @Test
  void shouldTryTheReplicasInTurnWithGrowingPausesWhileNoneLeads() {
    mutate("a1");
    List<NodeId> nodes = new ArrayList<>();
    for (int pause : new int[] {10, 20, 40, 40}) {
      FakeRanges.BatchAttempt attempt = ranges.takeBatch();
      nodes.add(attempt.node());
      attempt.reply().accept(new RangeResult.NotLeader(null));
      timers.advance(Duration.ofMillis(pause - 1));
      assertThat(ranges.batches).isEmpty();
      timers.advance(Duration.ofMillis(1));
    }
    assertThat(nodes).containsExactly(A, B, C, A);
  }

  @Test
  void shouldTryAnotherReplicaWhenTheLeaderDoesNotRespond() {
    mutate("a1");
    FakeRanges.BatchAttempt first = ranges.takeBatch();
    first.reply().accept(new RangeResult.OutcomeUnknown("the connection was lost"));
    timers.advance(Duration.ofMillis(10));
    FakeRanges.BatchAttempt second = ranges.takeBatch();
    assertThat(List.of(first.node(), second.node())).containsExactly(A, B);
    assertThat(second.number()).isEqualTo(first.number());
  }

  @Test
  void shouldPauseOnlyBrieflyWhileSearchingForTheLeader() {
    RangeClientSettings patient = RangeClientSettings.DEFAULTS;
    assertThat(pauses(patient, new RangeResult.NotLeader(null)))
        .containsExactly(5L, 10L, 20L, 40L, 50L, 50L, 50L, 50L);
    assertThat(pauses(patient, new RangeResult.Unavailable("down")))
        .containsExactly(5L, 10L, 20L, 40L, 50L, 50L, 50L, 50L);
    assertThat(pauses(patient, new RangeResult.Busy("full")))
        .containsExactly(5L, 10L, 20L, 40L, 80L, 160L, 320L, 500L);
  }

  /** The pauses between attempts, if all of them get this reply. */
  private static List<Long> pauses(RangeClientSettings settings, RangeResult response) {
    ManualTimers time = new ManualTimers();
    FakeRanges replicas = new FakeRanges();
    List<Long> pauses = new ArrayList<>();
    try (RoutedRangeClient client =
        new RoutedRangeClient(
            "words",
            List.of(range(1, "", null, 1)),
            replicas,
            time,
            settings,
            RangeObserver.NONE)) {
      client.mutate(bytes("a"), bytes("a1"));
      while (pauses.size() < 8) {
        replicas.takeBatch().reply().accept(response);
        long before = time.nowMillis();
        while (replicas.batches.isEmpty()) {
          time.advance(Duration.ofMillis(1));
        }
        pauses.add(time.nowMillis() - before);
      }
    }
    return pauses;
  }

  @Test
  void shouldFailABatchAtTheDeadlineTogetherWithTheCommandsBehindIt() {
    List<String> completed = new ArrayList<>();
    mutate("a1").whenComplete((response, failure) -> completed.add("a1"));
    timers.advance(Duration.ofMillis(600));
    CompletableFuture<byte[]> waiting = mutate("a2");
    waiting.whenComplete((response, failure) -> completed.add("a2"));
    timers.advance(Duration.ofMillis(430));
    assertThat(completed).containsExactly("a1", "a2");
    assertThat(kindOf(waiting)).isEqualTo(RangeException.Kind.BUSY);
    assertThat(ranges.batches).allMatch(sent -> sent.commands().equals(List.of("a1")));
  }

  @Test
  void shouldRejectCommandsBrieflyAfterAbandoningABatch() {
    mutate("a1");
    timers.advance(Duration.ofMillis(1010));
    assertThat(kindOf(mutate("a2"))).isEqualTo(RangeException.Kind.BUSY);
    ranges.batches.clear();
    timers.advance(Duration.ofMillis(50));
    CompletableFuture<byte[]> repeated = mutate("a1");
    FakeRanges.BatchAttempt again = ranges.takeBatch();
    assertThat(again.number()).isEqualTo(2);
    again.apply();
    assertThat(repeated).isCompleted();
  }

  @Test
  void shouldReportAStorageFailureIfThatWasTheLastReply() {
    CompletableFuture<byte[]> response = mutate("a1");
    for (int elapsed = 0; elapsed < 1100; elapsed += 10) {
      if (!ranges.batches.isEmpty()) {
        ranges.takeBatch().reply().accept(new RangeResult.StorageFailed("disk full"));
      }
      timers.advance(Duration.ofMillis(10));
    }
    assertThat(kindOf(response)).isEqualTo(RangeException.Kind.STORAGE_FAILED);
  }

  @Test
  void shouldFollowAHintToAnUnknownReplica() {
    NodeId added = new NodeId("z");
    mutate("a1");
    ranges.takeBatch().reply().accept(new RangeResult.NotLeader(added));
    assertThat(ranges.batches.element().node()).isEqualTo(added);
    ranges.takeBatch().reply().accept(new RangeResult.Unavailable("replica removed"));
    timers.advance(Duration.ofMillis(20));
    assertThat(ranges.takeBatch().node()).as("the next known replica").isEqualTo(B);
  }

  @Test
  void shouldNotResendAPossiblyAppliedBatchUnderANewSenderNumber() {
    CompletableFuture<byte[]> response = mutate("a1");
    FakeRanges.BatchAttempt first = ranges.takeBatch();
    first.reply().accept(new RangeResult.SenderEvicted());
    assertThat(kindOf(response)).isEqualTo(RangeException.Kind.UNAVAILABLE);
    assertThat(ranges.batches).isEmpty();
    timers.advance(Duration.ofMillis(50));
    mutate("a2");
    FakeRanges.BatchAttempt second = ranges.takeBatch();
    assertThat(second.commands()).containsExactly("a2");
    assertThat(second.sender()).isNotEqualTo(first.sender());
    assertThat(second.number()).isEqualTo(1);
  }

  @Test
  void shouldRegisterAgainAfterALongPause() {
    mutate("a1");
    FakeRanges.BatchAttempt first = ranges.takeBatch();
    first.apply();
    timers.advance(Duration.ofMillis(4000));
    mutate("a2");
    FakeRanges.BatchAttempt second = ranges.takeBatch();
    assertThat(second.sender()).isEqualTo(first.sender());
    assertThat(second.number()).isEqualTo(2);
    second.apply();
    timers.advance(Duration.ofMillis(5001));
    mutate("a3");
    FakeRanges.BatchAttempt third = ranges.takeBatch();
    assertThat(third.sender()).isNotEqualTo(first.sender());
    assertThat(third.number()).isEqualTo(1);
  }

  @Test
  void shouldAbandonARegistrationWithoutAResponse() {
    ranges.ignoreRegistrations();
    CompletableFuture<byte[]> response = mutate("a1");
    timers.advance(Duration.ofMillis(1100));
    assertThat(kindOf(response)).isEqualTo(RangeException.Kind.UNAVAILABLE);
  }
}
