package io.fjordmq.range.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeException;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.sim.ManualTimers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RoutedRangeClientTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final NodeId C = new NodeId("c");
  private static final RangeClientSettings SETTINGS =
      new RangeClientSettings(
          100,
          200,
          3,
          50,
          Duration.ZERO,
          1,
          5,
          1000,
          2,
          Duration.ofMillis(1000),
          Duration.ofMillis(100),
          Duration.ofMillis(10),
          Duration.ofMillis(40),
          Duration.ofMillis(5000));

  private final ManualTimers timers = new ManualTimers();
  private final FakeRanges ranges = new FakeRanges();
  private final RoutedRangeClient client = client(range(1, "", "m", 1), range(2, "m", null, 1));

  private RoutedRangeClient client(RangeDescriptor... known) {
    return new RoutedRangeClient(
        "words", List.of(known), ranges, timers, SETTINGS, RangeObserver.NONE);
  }

  // Coalescing and order

  @Test
  void shouldSendTheFirstCommandAtOnceAndCoalesceTheNextOnes() {
    CompletableFuture<byte[]> first = mutate("a1");
    CompletableFuture<byte[]> second = mutate("a2");
    CompletableFuture<byte[]> third = mutate("a3");
    FakeRanges.Sent one = ranges.takeSent();
    assertThat(one.commands()).containsExactly("a1");
    assertThat(one.number()).isEqualTo(1);
    assertThat(ranges.sent).isEmpty();

    one.apply();
    assertThat(first).isCompletedWithValueMatching(answer -> text(answer).equals("a1"));
    FakeRanges.Sent two = ranges.takeSent();
    assertThat(two.commands()).containsExactly("a2", "a3");
    assertThat(two.number()).isEqualTo(2);
    two.apply();
    assertThat(second).isCompletedWithValueMatching(answer -> text(answer).equals("a2"));
    assertThat(third).isCompletedWithValueMatching(answer -> text(answer).equals("a3"));
  }

  @Test
  void shouldKeepABatchWithinItsBounds() {
    for (String command : List.of("a1", "a2", "a3", "a4", "a5")) {
      mutate(command);
    }
    ranges.takeSent().apply();
    assertThat(ranges.sent.element().commands()).containsExactly("a2", "a3", "a4");
    ranges.takeSent().apply();
    String wide = "a".repeat(95);
    mutate(wide);
    mutate(wide);
    ranges.takeSent().apply();
    assertThat(ranges.sent.element().commands()).containsExactly(wide); // two are over 200 bytes
  }

  @Test
  void shouldSendFirstWhatWasNotAppliedBecauseTheAnswersBeforeWereLargeEnough() {
    mutate("a1");
    final CompletableFuture<byte[]> second = mutate("a2");
    final CompletableFuture<byte[]> third = mutate("a3");
    mutate("a4");
    mutate("a5");
    ranges.takeSent().apply();
    assertThat(ranges.sent.element().enoughAnswerBytes()).isEqualTo(50);
    ranges.takeSent().apply(1);
    assertThat(second).isCompletedWithValueMatching(answer -> text(answer).equals("a2"));
    assertThat(third).isNotDone();
    FakeRanges.Sent next = ranges.takeSent();
    assertThat(next.commands()).containsExactly("a3", "a4", "a5");
    assertThat(next.number()).isEqualTo(3);
    next.apply();
    assertThat(third).isCompletedWithValueMatching(answer -> text(answer).equals("a3"));
    assertThat(client.status().ranges().get(0).queuedBytes()).isZero();
  }

  @Test
  void shouldSendWhatACallbackAsksForAfterWhatWasWaiting() {
    mutate("a1").thenRun(() -> mutate("a9"));
    mutate("a2");
    ranges.takeSent().apply();
    ranges.takeSent().apply();
    assertThat(ranges.sent).isEmpty();
    assertThat(client.status().ranges().get(0).queuedCommands()).isZero();
  }

  @Test
  void shouldGatherCommandsForAMomentWhenARangeIsBusy() {
    RoutedRangeClient paced =
        new RoutedRangeClient(
            "words",
            List.of(range(1, "", null, 1)),
            ranges,
            timers,
            RangeClientSettings.DEFAULTS,
            RangeObserver.NONE);
    for (String command : List.of("a1", "a2", "a3")) {
      paced.mutate(bytes(command), bytes(command));
    }
    ranges.takeSent().apply();
    assertThat(ranges.sent.element().commands()).containsExactly("a2", "a3");
    ranges.takeSent().apply();
    paced.mutate(bytes("a4"), bytes("a4"));
    paced.mutate(bytes("a5"), bytes("a5"));
    assertThat(ranges.sent).isEmpty();
    timers.advance(RangeClientSettings.DEFAULTS.batchInterval());
    assertThat(ranges.takeSent().commands()).containsExactly("a4", "a5");
  }

  // Bounds

  @Test
  void shouldRefuseAsBusyWhenTooMuchWaits() {
    for (int i = 0; i < 6; i++) { // one in the air, five waiting
      assertThat(mutate("a" + i)).isNotDone();
    }
    assertThat(kindOf(mutate("a6"))).isEqualTo(RangeException.Kind.BUSY);
    assertThat(mutate("z")).isNotDone(); // another range has room
    ranges.takeSent().apply();
    assertThat(mutate("a7")).isNotDone();
  }

  @Test
  void shouldRefuseACommandThatFitsIntoNoEntry() {
    assertThat(kindOf(mutate("a".repeat(101)))).isEqualTo(RangeException.Kind.TOO_LARGE);
    assertThat(ranges.sent).isEmpty();
  }

  @Test
  void shouldRefuseQueriesAsBusyWhenTooManyWait() {
    query("a");
    query("a");
    assertThat(kindOf(query("a"))).isEqualTo(RangeException.Kind.BUSY);
    ranges.takeAsked().reply().accept(new RangeResult.Answered(bytes("x")));
    assertThat(query("a")).isNotDone();
  }

  // Retries

  @Test
  void shouldRepeatABatchOfUnknownOutcomeUnderTheSameNumber() {
    CompletableFuture<byte[]> answer = mutate("a1");
    mutate("a2");
    FakeRanges.Sent first = ranges.takeSent();
    first.reply().accept(new RangeResult.OutcomeUnknown("leader changed"));
    assertThat(ranges.sent).isEmpty();
    timers.advance(Duration.ofMillis(10));
    FakeRanges.Sent again = ranges.takeSent();
    assertThat(again.number()).isEqualTo(first.number());
    assertThat(again.sender()).isEqualTo(first.sender());
    assertThat(again.commands()).containsExactly("a1");
    again.apply();
    assertThat(answer).isCompleted();
  }

  @Test
  void shouldRepeatABatchThatGetsNoReplyAndTakeTheAnswerOfAnyAttempt() {
    CompletableFuture<byte[]> answer = mutate("a1");
    FakeRanges.Sent first = ranges.takeSent();
    timers.advance(Duration.ofMillis(130));
    FakeRanges.Sent second = ranges.takeSent();
    assertThat(second.number()).isEqualTo(first.number());
    assertThat(second.node()).isNotEqualTo(first.node());
    first.apply();
    assertThat(answer).isCompleted();
    second.reply().accept(new RangeResult.OutcomeUnknown("too late to matter"));
    timers.advance(Duration.ofMillis(500));
    assertThat(ranges.sent).isEmpty();
  }

  @Test
  void shouldFollowAHintAtOnceAndThenAskThatNodeFirst() {
    mutate("a1");
    FakeRanges.Sent first = ranges.takeSent();
    assertThat(first.node()).isEqualTo(A);
    first.reply().accept(new RangeResult.NotLeader(C));
    FakeRanges.Sent second = ranges.takeSent();
    assertThat(second.node()).isEqualTo(C);
    second.apply();
    mutate("a2");
    assertThat(ranges.takeSent().node()).isEqualTo(C);
  }

  @Test
  void shouldAskOneAfterTheOtherWithGrowingPausesWhileNobodyLeads() {
    mutate("a1");
    List<NodeId> nodes = new ArrayList<>();
    for (int pause : new int[] {10, 20, 40, 40}) {
      FakeRanges.Sent attempt = ranges.takeSent();
      nodes.add(attempt.node());
      attempt.reply().accept(new RangeResult.NotLeader(null));
      timers.advance(Duration.ofMillis(pause - 1));
      assertThat(ranges.sent).isEmpty();
      timers.advance(Duration.ofMillis(1));
    }
    assertThat(nodes).containsExactly(A, B, C, A);
  }

  @Test
  void shouldAskAnotherAfterALeaderThatWentSilent() {
    mutate("a1");
    FakeRanges.Sent first = ranges.takeSent();
    first.reply().accept(new RangeResult.OutcomeUnknown("the connection was lost"));
    timers.advance(Duration.ofMillis(10));
    FakeRanges.Sent second = ranges.takeSent();
    assertThat(List.of(first.node(), second.node())).containsExactly(A, B);
    assertThat(second.number()).isEqualTo(first.number());
  }

  @Test
  void shouldNotPauseForLongWhileItOnlyLooksForTheLeader() {
    RangeClientSettings patient = RangeClientSettings.DEFAULTS;
    assertThat(pauses(patient, new RangeResult.NotLeader(null)))
        .containsExactly(5L, 10L, 20L, 40L, 50L, 50L, 50L, 50L);
    assertThat(pauses(patient, new RangeResult.Unavailable("down")))
        .containsExactly(5L, 10L, 20L, 40L, 50L, 50L, 50L, 50L);
    assertThat(pauses(patient, new RangeResult.Busy("full")))
        .containsExactly(5L, 10L, 20L, 40L, 80L, 160L, 320L, 500L);
  }

  /** Between attempts that are all answered so. */
  private static List<Long> pauses(RangeClientSettings settings, RangeResult answer) {
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
        replicas.takeSent().reply().accept(answer);
        long before = time.nowMillis();
        while (replicas.sent.isEmpty()) {
          time.advance(Duration.ofMillis(1));
        }
        pauses.add(time.nowMillis() - before);
      }
    }
    return pauses;
  }

  @Test
  void shouldGiveUpAtTheDeadlineAndRefuseWhatWaitsBehind() {
    List<String> told = new ArrayList<>();
    mutate("a1").whenComplete((answer, failure) -> told.add("a1"));
    timers.advance(Duration.ofMillis(600));
    CompletableFuture<byte[]> waiting = mutate("a2");
    waiting.whenComplete((answer, failure) -> told.add("a2"));
    timers.advance(Duration.ofMillis(430));
    assertThat(told).containsExactly("a1", "a2");
    assertThat(kindOf(waiting)).isEqualTo(RangeException.Kind.BUSY);
    assertThat(ranges.sent).allMatch(sent -> sent.commands().equals(List.of("a1")));
  }

  @Test
  void shouldTakeNothingInForAMomentAfterGivingUpAndThenGoOnWithALaterNumber() {
    mutate("a1");
    timers.advance(Duration.ofMillis(1010));
    assertThat(kindOf(mutate("a2"))).isEqualTo(RangeException.Kind.BUSY);
    ranges.sent.clear();
    timers.advance(Duration.ofMillis(50));
    CompletableFuture<byte[]> repeated = mutate("a1");
    FakeRanges.Sent again = ranges.takeSent();
    assertThat(again.number()).isEqualTo(2);
    again.apply();
    assertThat(repeated).isCompleted();
  }

  @Test
  void shouldSayThatStorageFailedWhenThatWasTheLastItHeard() {
    CompletableFuture<byte[]> answer = mutate("a1");
    for (int elapsed = 0; elapsed < 1100; elapsed += 10) {
      if (!ranges.sent.isEmpty()) {
        ranges.takeSent().reply().accept(new RangeResult.StorageFailed("disk full"));
      }
      timers.advance(Duration.ofMillis(10));
    }
    assertThat(kindOf(answer)).isEqualTo(RangeException.Kind.STORAGE_FAILED);
  }

  // Senders

  @Test
  void shouldNotSendAgainUnderANewNameWhatMayHaveBeenApplied() {
    CompletableFuture<byte[]> answer = mutate("a1");
    FakeRanges.Sent first = ranges.takeSent();
    first.reply().accept(new RangeResult.SenderForgotten());
    assertThat(kindOf(answer)).isEqualTo(RangeException.Kind.UNAVAILABLE);
    assertThat(ranges.sent).isEmpty();
    timers.advance(Duration.ofMillis(50));
    mutate("a2");
    FakeRanges.Sent second = ranges.takeSent();
    assertThat(second.commands()).containsExactly("a2");
    assertThat(second.sender()).isNotEqualTo(first.sender());
    assertThat(second.number()).isEqualTo(1);
  }

  @Test
  void shouldTakeANewNameAfterALongPause() {
    mutate("a1");
    FakeRanges.Sent first = ranges.takeSent();
    first.apply();
    timers.advance(Duration.ofMillis(4000));
    mutate("a2");
    FakeRanges.Sent second = ranges.takeSent();
    assertThat(second.sender()).isEqualTo(first.sender());
    assertThat(second.number()).isEqualTo(2);
    second.apply();
    timers.advance(Duration.ofMillis(5001));
    mutate("a3");
    FakeRanges.Sent third = ranges.takeSent();
    assertThat(third.sender()).isNotEqualTo(first.sender());
    assertThat(third.number()).isEqualTo(1);
  }

  @Test
  void shouldGiveUpARegistrationThatNobodyAnswers() {
    ranges.ignoreRegistrations();
    CompletableFuture<byte[]> answer = mutate("a1");
    timers.advance(Duration.ofMillis(1100));
    assertThat(kindOf(answer)).isEqualTo(RangeException.Kind.UNAVAILABLE);
  }

  // Reshaped ranges

  @Test
  void shouldMoveCommandsToTheRangesThatHoldTheirKeysNow() {
    RangeDescriptor left = range(1, "", "c", 2);
    RangeDescriptor right = range(3, "c", "m", 2);
    CompletableFuture<byte[]> inAir = mutate("d1");
    CompletableFuture<byte[]> staying = mutate("a2");
    CompletableFuture<byte[]> moving = mutate("d3");
    ranges.takeSent().reply().accept(new RangeResult.StaleEpoch(List.of(left, right)));

    FakeRanges.Sent toLeft = ranges.takeSent();
    FakeRanges.Sent toRight = ranges.takeSent();
    if (toLeft.range().number() == 3) {
      FakeRanges.Sent other = toLeft;
      toLeft = toRight;
      toRight = other;
    }
    assertThat(toLeft.range()).isEqualTo(left.id());
    assertThat(toLeft.commands()).containsExactly("a2");
    assertThat(toLeft.epochVersion()).isEqualTo(2);
    assertThat(toRight.range()).isEqualTo(right.id());
    assertThat(toRight.commands()).containsExactly("d1", "d3"); // in the order of the calls
    toLeft.apply();
    toRight.apply();
    assertThat(List.of(inAir, staying, moving)).allMatch(CompletableFuture::isDone);
    assertThat(client.locate(KeyInterval.ALL)).hasSize(3);
  }

  @Test
  void shouldRegroupAGroupedCommandWhenItsRangeWasSplit() {
    var answers =
        client.mutateGrouped(
            List.of(bytes("a"), bytes("d"), bytes("b")),
            positions -> bytes("p" + java.util.Arrays.toString(positions)));
    FakeRanges.Sent whole = ranges.takeSent();
    assertThat(whole.commands()).containsExactly("p[0, 1, 2]");
    whole
        .reply()
        .accept(new RangeResult.StaleEpoch(List.of(range(1, "", "c", 2), range(3, "c", "m", 2))));
    List<String> commands = new ArrayList<>();
    while (!ranges.sent.isEmpty()) {
      FakeRanges.Sent part = ranges.takeSent();
      commands.addAll(part.commands());
      part.apply();
    }
    assertThat(commands).containsExactlyInAnyOrder("p[0, 2]", "p[1]");
    assertThat(answers).isCompleted();
    assertThat(answers.join()).hasSize(2);
  }

  @Test
  void shouldWaitUntilItKnowsAllOfANewShape() {
    CompletableFuture<byte[]> answer = mutate("c1");
    ranges.takeSent().reply().accept(new RangeResult.StaleEpoch(List.of(range(1, "", "c", 2))));
    assertThat(answer).isNotDone();
    client.update(List.of(range(1, "", "c", 2)));
    timers.advance(Duration.ofMillis(10));
    FakeRanges.Sent again = ranges.takeSent();
    assertThat(again.epochVersion()).as("it does not know better").isEqualTo(1);
    again
        .reply()
        .accept(new RangeResult.StaleEpoch(List.of(range(1, "", "c", 2), range(3, "c", "m", 2))));
    FakeRanges.Sent moved = ranges.takeSent();
    assertThat(moved.range().number()).isEqualTo(3);
    moved.apply();
    assertThat(answer).isDone();
  }

  @Test
  void shouldPauseWhenAReplicaLagsBehindWhatTheClientKnows() {
    mutate("a1");
    ranges.takeSent().reply().accept(new RangeResult.StaleEpoch(List.of(range(1, "", "m", 1))));
    assertThat(ranges.sent).isEmpty();
    timers.advance(Duration.ofMillis(10));
    assertThat(ranges.takeSent().commands()).containsExactly("a1");
  }

  @Test
  void shouldTakeInNewsOfIdleRangesAtOnceAndThoseOfBusyOnesWhenTheirBatchIsSettled() {
    client.update(List.of(range(2, "m", null, 5)));
    mutate("z1");
    assertThat(ranges.sent.element().epochVersion()).isEqualTo(5);
    client.update(List.of(range(2, "m", null, 6)));
    mutate("z2");
    ranges.takeSent().apply();
    assertThat(ranges.sent.element().epochVersion()).isEqualTo(6);
    client.update(List.of(range(2, "m", null, 7)));
    timers.advance(SETTINGS.deadline());
    ranges.sent.clear();
    timers.advance(SETTINGS.deadline());
    mutate("z3");
    assertThat(ranges.takeSent().epochVersion()).as("after it was given up").isEqualTo(7);
  }

  /** The nodes that it asked so far may all have dropped their replicas, and know nothing. */
  @Test
  void shouldAskWhoHoldsTheKeysNowThoughABatchOfTheOldShapeIsInTheAir() {
    CompletableFuture<byte[]> answer = mutate("a1");
    NodeId holder = new NodeId("z");
    client.update(List.of(moved(range(1, "", "m", 2), 2, holder)));
    ranges.takeSent().reply().accept(new RangeResult.Unavailable("no replica"));
    timers.advance(Duration.ofMillis(20));
    FakeRanges.Sent again = ranges.takeSent();
    assertThat(again.node()).isEqualTo(holder);
    assertThat(again.epochVersion()).as("its outcome comes first").isEqualTo(1);
    again.reply().accept(new RangeResult.StaleEpoch(List.of(range(1, "", "m", 2))));
    FakeRanges.Sent moved = ranges.takeSent();
    assertThat(moved.node()).isEqualTo(holder);
    assertThat(moved.epochVersion()).isEqualTo(2);
    moved.apply();
    assertThat(answer).isDone();
  }

  @Test
  void shouldAskTheRangeThatTookItInWhatBecameOfABatch() {
    mutate("z1");
    NodeId holder = new NodeId("z");
    client.update(List.of(moved(range(1, "", null, 2), 2, holder)));
    ranges.takeSent().reply().accept(new RangeResult.Unavailable("no replica"));
    timers.advance(Duration.ofMillis(20));
    FakeRanges.Sent again = ranges.takeSent();
    assertThat(again.range().number()).isEqualTo(2);
    assertThat(again.node()).isEqualTo(holder);
  }

  @Test
  void shouldNotLetABusyRangeKeepAnotherFromBeingReshaped() {
    mutate("z1");
    client.update(List.of(range(2, "m", null, 2)));
    FakeRanges.Sent slow = ranges.takeSent();
    mutate("a1");
    ranges
        .takeSent()
        .reply()
        .accept(new RangeResult.StaleEpoch(List.of(range(1, "", "c", 2), range(3, "c", "m", 2))));
    assertThat(ranges.takeSent().epochVersion()).as("range 1, as it is now").isEqualTo(2);
    slow.apply();
    mutate("z2");
    assertThat(ranges.sent).hasSize(1);
    assertThat(ranges.takeSent().epochVersion()).as("range 2, once it was idle").isEqualTo(2);
  }

  @Test
  void shouldPauseBeforeItAsksAgainWhileAReshapeWaitsForAnotherRange() {
    mutate("z1");
    ranges.takeSent();
    mutate("a1");
    FakeRanges.Sent left = ranges.takeSent();
    left.reply().accept(new RangeResult.StaleEpoch(List.of(range(1, "", null, 2))));
    assertThat(ranges.sent).as("nothing until a pause is over").isEmpty();
  }

  @Test
  void shouldTakeACommandFromACallbackOfAnAnswerThatComesWhileItSends() {
    List<CompletableFuture<byte[]>> last = new ArrayList<>();
    mutate("a1");
    FakeRanges.Sent slow = ranges.takeSent();
    mutate("a2").thenRun(() -> last.add(mutate("z1")));
    client.update(List.of(range(1, "", "c", 2), range(2, "c", null, 2)));
    ranges.applyAtOnce(batch -> batch.epochVersion() == 2);
    slow.apply();
    assertThat(last).hasSize(1).allMatch(CompletableFuture::isDone);
  }

  @Test
  void shouldRememberWhatWaitsThoughItHearsAPartOfAnotherShape() {
    mutate("z1");
    FakeRanges.Sent slow = ranges.takeSent();
    client.update(List.of(range(2, "m", null, 2)));
    client.update(List.of(range(1, "", "c", 2))); // what became of "c" to "m" is not known
    slow.apply();
    mutate("z2");
    assertThat(ranges.takeSent().epochVersion()).isEqualTo(2);
  }

  /** A replica says what its group was when it was made. */
  @Test
  void shouldAskThePublishedReplicasWhateverAReplicaSaysOfThem() {
    client.update(List.of(moved(range(1, "", "m", 1), 5, B, C)));
    mutate("a1");
    ranges
        .takeSent()
        .reply()
        .accept(new RangeResult.StaleEpoch(List.of(moved(range(1, "", "m", 2), 1, A))));
    FakeRanges.Sent again = ranges.takeSent();
    assertThat(again.epochVersion()).isEqualTo(2);
    assertThat(again.node()).isEqualTo(B);
  }

  @Test
  void shouldSayWhichKeyNobodyHolds() {
    RoutedRangeClient gappy = client(range(1, "", "m", 1));
    CompletableFuture<byte[]> answer = gappy.mutate(bytes("z"), bytes("z1"));
    assertThat(kindOf(answer)).isEqualTo(RangeException.Kind.UNAVAILABLE);
  }

  // Grouped

  @Test
  void shouldNotClaimThatNothingWasSentWhenOnePartWas() {
    for (int i = 0; i < 6; i++) {
      mutate("z" + i); // the second range is full
    }
    var answers = client.mutateGrouped(List.of(bytes("a"), bytes("z")), positions -> bytes("p"));
    assertThat(kindOf(answers)).isEqualTo(RangeException.Kind.UNAVAILABLE);
  }

  @Test
  void shouldSendNothingOfAGroupedCommandWhenItsFirstPartIsRefused() {
    for (int i = 0; i < 6; i++) {
      mutate("a" + i); // the first range is full
    }
    ranges.sent.clear();
    var answers = client.mutateGrouped(List.of(bytes("a"), bytes("z")), positions -> bytes("p"));
    assertThat(kindOf(answers)).isEqualTo(RangeException.Kind.BUSY);
    assertThat(ranges.sent).isEmpty();
  }

  // Queries

  @Test
  void shouldAskForAtLeastWhatTheClientHasSeen() {
    CompletableFuture<byte[]> before = query("a");
    assertThat(ranges.takeAsked().leastIndex()).isZero();
    mutate("a1");
    ranges.takeSent().apply();
    mutate("a2");
    ranges.takeSent().apply();
    query("a");
    assertThat(ranges.takeAsked().leastIndex()).isEqualTo(2);
    assertThat(before).isNotDone();
  }

  @Test
  void shouldRepeatAQueryUntilTheDeadline() {
    CompletableFuture<byte[]> answer = query("a");
    FakeRanges.Asked first = ranges.takeAsked();
    first.reply().accept(new RangeResult.NotLeader(B));
    timers.advance(Duration.ofMillis(10));
    FakeRanges.Asked second = ranges.takeAsked();
    assertThat(second.node()).isEqualTo(B);
    timers.advance(Duration.ofMillis(130)); // no reply
    assertThat(ranges.asked).isNotEmpty();
    timers.advance(Duration.ofMillis(1000));
    assertThat(kindOf(answer)).isEqualTo(RangeException.Kind.UNAVAILABLE);
  }

  // Replicas that move

  @Test
  void shouldFollowAHintToAReplicaItHasNotHeardOf() {
    NodeId added = new NodeId("z");
    mutate("a1");
    ranges.takeSent().reply().accept(new RangeResult.NotLeader(added));
    assertThat(ranges.sent.element().node()).isEqualTo(added);
    ranges.takeSent().reply().accept(new RangeResult.Unavailable("it is gone"));
    timers.advance(Duration.ofMillis(20));
    assertThat(ranges.takeSent().node()).as("the next one it knows").isEqualTo(B);
  }

  @Test
  void shouldAskNewReplicasThoughABatchIsInTheAir() {
    CompletableFuture<byte[]> answer = mutate("a1");
    CompletableFuture<byte[]> waiting = mutate("a2");
    FakeRanges.Sent first = ranges.takeSent();
    assertThat(first.node()).isEqualTo(A);
    NodeId added = new NodeId("z");
    client.update(List.of(moved(range(1, "", "m", 1), 2, B, added)));
    assertThat(ranges.sent).as("its outcome comes first").isEmpty();
    first.reply().accept(new RangeResult.OutcomeUnknown("it stopped"));
    timers.advance(Duration.ofMillis(10));
    FakeRanges.Sent again = ranges.takeSent();
    assertThat(again.node()).isEqualTo(B);
    assertThat(again.number()).isEqualTo(first.number());
    again.apply();
    ranges.takeSent().apply();
    assertThat(List.of(answer, waiting)).allMatch(CompletableFuture::isDone);
    assertThat(mutate("a3")).isNotDone();
    assertThat(ranges.takeSent().node()).isEqualTo(B);
  }

  @Test
  void shouldKeepToTheLeaderWhenOtherReplicasChange() {
    mutate("a1");
    ranges.takeSent().reply().accept(new RangeResult.NotLeader(C));
    ranges.takeSent().apply();
    client.update(List.of(moved(range(1, "", "m", 1), 2, B, C)));
    mutate("a2");
    assertThat(ranges.takeSent().node()).isEqualTo(C);
  }

  @Test
  void shouldForgetWhatItHeardOfReplicasBefore() {
    client.update(List.of(moved(range(1, "", "m", 1), 3, C)));
    client.update(List.of(moved(range(1, "", "m", 1), 2, B)));
    mutate("a1");
    assertThat(ranges.takeSent().node()).isEqualTo(C);
  }

  private static RangeDescriptor moved(RangeDescriptor range, long replicas, NodeId... voters) {
    return new RangeDescriptor(
        range.id(),
        range.interval(),
        new RangeEpoch(range.epoch().version(), replicas),
        ReplicaSet.ofVoters(voters));
  }

  // The end

  @Test
  void shouldFailWhatWaitsWhenClosed() {
    CompletableFuture<byte[]> inAir = mutate("a1");
    CompletableFuture<byte[]> waiting = mutate("a2");
    CompletableFuture<byte[]> asked = query("a");
    client.close();
    for (CompletableFuture<byte[]> future :
        List.of(inAir, waiting, asked, mutate("a3"), query("a"))) {
      assertThat(kindOf(future)).isEqualTo(RangeException.Kind.CLOSED);
    }
    ranges.takeSent().apply();
    assertThat(ranges.sent).isEmpty();
  }

  private CompletableFuture<byte[]> mutate(String command) {
    return client.mutate(bytes(command.substring(0, 1)), bytes(command));
  }

  private CompletableFuture<byte[]> query(String key) {
    return client.query(bytes(key), bytes("?"));
  }

  private static RangeException.Kind kindOf(CompletableFuture<?> future) {
    assertThat(future).isCompletedExceptionally();
    try {
      future.get();
      throw new AssertionError("completed");
    } catch (ExecutionException e) {
      return ((RangeException) Objects.requireNonNull(e.getCause())).kind();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @SuppressWarnings("NullAway") // does not see in class files that an array may be null
  static RangeDescriptor range(long number, String start, @Nullable String end, long version) {
    return new RangeDescriptor(
        new RangeId("words", number),
        new KeyInterval(bytes(start), end == null ? null : bytes(end)),
        new RangeEpoch(version, 1),
        ReplicaSet.ofVoters(A, B, C));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, UTF_8);
  }
}
