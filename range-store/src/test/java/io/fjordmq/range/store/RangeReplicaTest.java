package io.fjordmq.range.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.SupportedLevels;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.common.NewerFormatException;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.kv.KvBatch;
import io.fjordmq.range.kv.KvException;
import io.fjordmq.range.kv.WriteSet;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RangeReplicaTest {
  @TempDir Path directory;
  private ReplicaFixture range;

  @BeforeEach
  void open() throws IOException {
    range = new ReplicaFixture(directory);
    range.replica.onLeaderStart(1);
  }

  // Applying

  @Test
  void shouldRespondToEveryCommandOfABatchInOrder() {
    long sender = range.register();
    RangeResult result = range.execute(ReplicaFixture.mutations(sender, 1, "a:1", "b:2", "a:3"));
    assertThat(ReplicaFixture.responses(result)).containsExactly("1", "2", "1 3");
    assertThat(range.value("a")).isEqualTo("1 3");
  }

  @Test
  void shouldApplyARepeatedBatchOnceAndReturnTheSameResponse() throws IOException {
    long sender = range.register();
    RangeResult first = range.execute(ReplicaFixture.mutations(sender, 1, "a:1"));
    range.effects.clear();
    RangeResult again = range.execute(ReplicaFixture.mutations(sender, 1, "a:1"));
    assertThat(ReplicaFixture.responses(again)).isEqualTo(ReplicaFixture.responses(first));
    assertThat(range.effects).isEmpty();

    range.reopen().onLeaderStart(2); // the senders that it remembers are part of the state
    assertThat(ReplicaFixture.responses(range.execute(ReplicaFixture.mutations(sender, 1, "a:1"))))
        .containsExactly("1");
    assertThat(range.value("a")).isEqualTo("1");
  }

  @Test
  void shouldNotifyOfLeadershipWhenEarlierEffectsMayBeLost() throws IOException {
    assertThat(range.ledRanges).containsExactly(ReplicaFixture.ID);
    range.replica.onLeaderStop();
    range.listenerIsBroken = true;
    range.reopen().onLeaderStart(2);
    assertThat(range.ledRanges).containsExactly(ReplicaFixture.ID, ReplicaFixture.ID);
    range.register(); // the replica keeps running although the listener threw
  }

  @Test
  void shouldRejectAnOutdatedBatch() {
    long sender = range.register();
    range.execute(ReplicaFixture.mutations(sender, 2, "a:2"));
    assertThat(range.execute(ReplicaFixture.mutations(sender, 1, "a:1")))
        .isInstanceOf(RangeResult.OutdatedBatch.class);
    assertThat(range.value("a")).isEqualTo("2");
  }

  @Test
  void shouldEvictTheLeastRecentlyUsedSender() {
    long first = range.register();
    long second = range.register();
    long third = range.register();
    range.execute(ReplicaFixture.mutations(first, 1, "a:1"));
    range.register(); // a fourth sender exceeds the limit
    assertThat(range.execute(ReplicaFixture.mutations(second, 1, "a:x")))
        .isInstanceOf(RangeResult.SenderEvicted.class);
    assertThat(range.execute(ReplicaFixture.mutations(first, 2, "a:2")))
        .isInstanceOf(RangeResult.Applied.class);
    assertThat(range.execute(ReplicaFixture.mutations(third, 1, "a:3")))
        .isInstanceOf(RangeResult.Applied.class);
    assertThat(range.value("a")).isEqualTo("1 2 3");
    assertThat(range.replica.status().senders()).isEqualTo(3);
  }

  @Test
  void shouldRejectABatchRoutedByAnotherEpoch() {
    long sender = range.register();
    byte[] entry = RangeEntry.encodeMutations(9, sender, 1, 99, List.of("a:1".getBytes(UTF_8)));
    assertThat(range.execute(entry))
        .isEqualTo(new RangeResult.StaleEpoch(List.of(range.replica.descriptor())));
    assertThat(range.value("a")).isEmpty();
    // Its number is not used up: the same commands may arrive again by another route.
    assertThat(range.execute(ReplicaFixture.mutations(sender, 1, "a:1")))
        .isInstanceOf(RangeResult.Applied.class);
  }

  @Test
  void shouldProposeNothingWhileClusterTimeIsUnknown() {
    long sender = range.register();
    range.timeUnknown = true;
    List<RangeResult> replies = new ArrayList<>();
    int before = range.proposals.size();
    range.replica.propose(ReplicaFixture.mutations(sender, 1, "a:1"), replies::add);
    assertThat(replies).hasOnlyElementsOfType(RangeResult.Busy.class).hasSize(1);
    assertThat(range.proposals).hasSize(before);
    range.timeUnknown = false;
    assertThat(range.execute(ReplicaFixture.mutations(sender, 1, "a:1")))
        .isInstanceOf(RangeResult.Applied.class);
  }

  @Test
  void shouldResetOnlyAClockThatIsAhead() throws IOException {
    long day = Duration.ofDays(1).toMillis();
    range.register();
    long correctMillis = range.replica.status().clockMillis();
    range.aheadMillis = day;
    range.register();
    range.aheadMillis = 0;
    assertThat(range.replica.status().aheadMillis(correctMillis)).isEqualTo(day);
    range.register();
    assertThat(range.replica.status().clockMillis()).as("kept").isEqualTo(correctMillis + day);

    assertThat(resetMillis()).isEqualTo(day);
    assertThat(range.replica.status().clockMillis()).isEqualTo(correctMillis);
    assertThat(resetMillis()).as("its clock is correct").isZero();
    assertThat(range.reopen().status().clockMillis()).as("on disk").isEqualTo(correctMillis);
  }

  private long resetMillis() {
    RangeResult result = range.execute(RangeEntry.encodeResetClock(1));
    return java.nio.ByteBuffer.wrap(((RangeResult.Applied) result).responses().get(0)).getLong();
  }

  @Test
  void shouldStopABatchWhenItsResponsesReachTheSizeLimit() throws IOException {
    long sender = range.register();
    byte[] batch = ReplicaFixture.mutations(sender, 1, 6, "a:one", "a:two", "a:three", "b:four");
    RangeResult first = range.execute(batch.clone());
    assertThat(ReplicaFixture.responses(first)).containsExactly("one", "one two");
    assertThat(range.effects).containsExactly("a:one", "a:one two");
    assertThat(ReplicaFixture.responses(range.execute(batch)))
        .as("repeated")
        .containsExactly("one", "one two");
    range.reopen().onLeaderStart(2);
    assertThat(range.value("a")).isEqualTo("one two");
    assertThat(range.value("b")).isEmpty();
    RangeResult rest = range.execute(ReplicaFixture.mutations(sender, 2, 6, "a:three", "b:four"));
    assertThat(ReplicaFixture.responses(rest))
        .as("one is always applied")
        .containsExactly("one two three");
  }

  @Test
  void shouldApplyEachEntryAtTheLevelOfItsLeader() throws IOException {
    range.supported = new SupportedLevels(1, 3);
    range.reopen().onLeaderStart(2);
    long sender = range.register();
    assertThat(level(sender, 1)).isEqualTo("1");
    range.currentLevel = 3;
    assertThat(level(sender, 2)).isEqualTo("3");
    range.currentLevel = 1; // a new leader that is behind
    assertThat(level(sender, 3)).isEqualTo("1");
  }

  private String level(long sender, int number) {
    RangeResult result = range.execute(ReplicaFixture.mutations(sender, number, "a:level"));
    return ReplicaFixture.responses(result).get(0);
  }

  @Test
  void shouldHaltAtAnEntryOfALevelThatItDoesNotSupport() {
    long sender = range.register();
    byte[] entry = ReplicaFixture.mutations(sender, 1, "a:1");
    RangeEntry.stamp(entry, range.clock.millis(), 2, 3);
    long index = range.replica.appliedIndex() + 1;
    assertThatThrownBy(() -> range.replica.apply(List.of(ReplicaFixture.entry(index, entry, null))))
        .isInstanceOf(NewerFormatException.class)
        .hasMessage(
            "the cluster level of a range entry has version 2, this node reads version 1: upgrade"
                + " this node");
    assertThat(range.value("a")).isEmpty();
  }

  @Test
  void shouldNeverSetTimeBack() {
    long sender = range.register();
    range.clock.advance(Duration.ofSeconds(10));
    String later =
        ReplicaFixture.responses(range.execute(ReplicaFixture.mutations(sender, 1, "a:now")))
            .get(0);
    byte[] fromASlowClock = ReplicaFixture.mutations(sender, 2, "a:now");
    RangeEntry.stamp(fromASlowClock, 1000, 1, 3);
    List<RangeResult> results = new ArrayList<>();
    range.replica.apply(
        List.of(
            ReplicaFixture.entry(
                range.replica.appliedIndex() + 1,
                fromASlowClock,
                new PendingEntry(results::add, 0))));
    assertThat(ReplicaFixture.responses(results.get(0))).containsExactly(later);
  }

  @Test
  void shouldSkipEntriesThatAreAlreadyInTheState() {
    long sender = range.register();
    byte[] entry = ReplicaFixture.mutations(sender, 1, "a:1");
    range.execute(entry.clone());
    range.replica.apply(List.of(ReplicaFixture.entry(range.replica.appliedIndex(), entry, null)));
    assertThat(range.value("a")).isEqualTo("1");
  }

  @Test
  void shouldPerformEffectsOnlyWhileLeading() {
    long sender = range.register();
    range.execute(ReplicaFixture.mutations(sender, 1, "a:1", "b:2"));
    assertThat(range.effects).containsExactly("a:1", "b:2");
    range.effects.clear();
    byte[] entry = ReplicaFixture.mutations(sender, 2, "a:3");
    range.replica.onLeaderStop();
    range.replica.apply(
        List.of(ReplicaFixture.entry(range.replica.appliedIndex() + 1, entry, null)));
    assertThat(range.effects).isEmpty();
  }

  @Test
  void shouldApplyManyEntriesInOrderForAnyWriteLimit() {
    long sender = range.register();
    List<List<RangeResult>> results = new ArrayList<>();
    for (int i = 1; i <= 50; i++) {
      results.add(
          range.propose(ReplicaFixture.mutations(sender, i, "k" + i + ":" + "x".repeat(300))));
    }
    range.commitAll();
    assertThat(results).allSatisfy(one -> assertThat(one).hasSize(1));
    assertThat(range.value("k50")).hasSize(300);
    assertThat(range.replica.appliedIndex()).isEqualTo(51);
  }

  // Failing

  @Test
  void shouldHaltOnABugAndReportAnUnknownOutcome() {
    long sender = range.register();
    List<RangeResult> good = range.propose(ReplicaFixture.mutations(sender, 1, "a:1"));
    List<RangeResult> bad = range.propose(ReplicaFixture.mutations(sender, 2, "a:!"));
    assertThatThrownBy(range::commitAll).hasMessage("the bug");
    assertThat(good.get(0)).isInstanceOf(RangeResult.OutcomeUnknown.class);
    assertThat(bad.get(0)).isInstanceOf(RangeResult.OutcomeUnknown.class);
    range.propose(ReplicaFixture.mutations(sender, 3, "a:3"));
    assertThatThrownBy(range::commitAll).hasMessageContaining("has already failed");
    range.replica.onHalted(new ConsensusException(ConsensusException.Kind.FAILED, "the bug"));
    assertThat(range.haltedRanges).containsExactly(ReplicaFixture.ID);
    assertThat(range.propose(ReplicaFixture.mutations(sender, 4, "a:4")).get(0))
        .isInstanceOfSatisfying(
            RangeResult.Unavailable.class, r -> assertThat(r.reason()).contains("the bug"));
  }

  @Test
  void shouldReapplyRejectedWritesAfterReopening() throws IOException {
    long sender = range.register();
    range.disk.failWith(new KvException(KvException.Kind.DISK_FULL, "disk full"));
    List<RangeResult> result = range.propose(ReplicaFixture.mutations(sender, 1, "a:1"));
    assertThatThrownBy(range::commitAll).isInstanceOf(KvException.class);
    assertThat(result.get(0)).isEqualTo(new RangeResult.StorageFailed("disk full"));

    range.disk.failWith(null);
    range.reopen().onLeaderStart(2);
    assertThat(range.replica.appliedIndex()).isEqualTo(1);
    byte[] entry = ReplicaFixture.mutations(sender, 1, "a:1");
    range.replica.apply(List.of(ReplicaFixture.entry(2, entry, null)));
    assertThat(range.value("a")).isEqualTo("1");
  }

  @Test
  void shouldRejectAWriteOutsideTheInterval() {
    DataWriter writer =
        new DataWriter(
            new WriteSet(range.space.latest(), new KvBatch()),
            new KeyInterval(new byte[] {5}, new byte[] {9}),
            new ReplicaLoad());
    assertThatThrownBy(() -> writer.put(new byte[] {9}, new byte[0]))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> writer.delete(new byte[] {4}))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> writer.deleteRange(new byte[] {5}, new byte[] {10}))
        .isInstanceOf(IllegalArgumentException.class);
    writer.put(new byte[] {5}, new byte[] {1});
    assertThat(writer.get(new byte[] {5})).isEqualTo(new byte[] {1});
  }

  // Serving

  @Test
  void shouldServeOnlyWhileLeading() {
    range.replica.onLeaderStop();
    RangeResult elsewhere = new RangeResult.NotLeader(new NodeId("elsewhere"));
    assertThat(range.propose(ReplicaFixture.mutations(1, 1, "a:1"))).containsExactly(elsewhere);
    assertThat(query(1, 0)).isEqualTo(elsewhere);
    assertThat(range.proposals).isEmpty();
  }

  @Test
  void shouldProposeInTheTermItLeads() {
    range.replica.onLeaderStop();
    range.replica.onLeaderStart(7);
    range.propose(ReplicaFixture.mutations(1, 1, "a:1"));
    assertThat(range.proposals.get(0).term()).isEqualTo(7);
  }

  @Test
  void shouldNotExecuteAQueryBehindTheIndexThatTheClientHasSeen() {
    long index = range.replica.appliedIndex();
    assertThat(query(1, index + 1)).isInstanceOf(RangeResult.NotLeader.class);
    assertThat(query(1, index)).isInstanceOf(RangeResult.Success.class);
    assertThat(query(2, index)).isInstanceOf(RangeResult.StaleEpoch.class);
  }

  @Test
  void shouldExecuteAQueryOnlyAfterTheOtherVotersHaveConfirmedTheLeader() {
    range.voters = ReplicaSet.ofVoters(new NodeId("a"), new NodeId("b"), new NodeId("c"));
    range.reads = new CompletableFuture<>();
    List<RangeResult> results = new ArrayList<>();
    range.replica.query(1, 0, "a".getBytes(UTF_8), results::add);
    assertThat(results).isEmpty();
    range.reads.complete(1L);
    assertThat(results).singleElement().isInstanceOf(RangeResult.Success.class);
  }

  @Test
  void shouldSkipAQueryThatHasWaitedForLongerThanItsClient() {
    List<Runnable> waiting = new ArrayList<>();
    range.queryThreads = waiting::add;
    List<RangeResult> results = new ArrayList<>();
    range.duringQuery = () -> fail("was executed");
    range.replica.query(1, 0, "a".getBytes(UTF_8), results::add);
    range.clock.advance(Duration.ofSeconds(5));
    range.replica.query(1, 0, "a".getBytes(UTF_8), results::add);
    waiting.remove(0).run();
    assertThat(results).singleElement().isInstanceOf(RangeResult.Busy.class);
    range.duringQuery = () -> {};
    range.clock.advance(Duration.ofMillis(4_999));
    waiting.remove(0).run();
    assertThat(results).element(1).isInstanceOf(RangeResult.Success.class);
  }

  @Test
  void shouldCountTheTimeOfTheConfirmationAsWaiting() {
    range.voters = ReplicaSet.ofVoters(new NodeId("a"), new NodeId("b"), new NodeId("c"));
    range.reads = new CompletableFuture<>();
    List<RangeResult> results = new ArrayList<>();
    range.replica.query(1, 0, "a".getBytes(UTF_8), results::add);
    range.clock.advance(Duration.ofSeconds(5));
    range.reads.complete(1L);
    assertThat(results).singleElement().isInstanceOf(RangeResult.Busy.class);
  }

  @Test
  void shouldNotExecuteAQueryWithoutConfirmation() {
    range.voters = ReplicaSet.ofVoters(new NodeId("a"), new NodeId("b"));
    range.reads =
        CompletableFuture.failedFuture(
            new ConsensusException(ConsensusException.Kind.BUSY, "no response"));
    assertThat(query(1, 0))
        .isInstanceOfSatisfying(
            RangeResult.Unavailable.class,
            result -> assertThat(result.reason()).contains("no response"));
  }

  @Test
  void shouldNotExecuteAQueryIfLeadershipWasLostDuringConfirmation() {
    range.voters = ReplicaSet.ofVoters(new NodeId("a"), new NodeId("b"));
    range.reads = new CompletableFuture<>();
    List<RangeResult> results = new ArrayList<>();
    range.replica.query(1, 0, "a".getBytes(UTF_8), results::add);
    range.replica.onLeaderStop();
    range.reads.complete(1L);
    assertThat(results).singleElement().isInstanceOf(RangeResult.NotLeader.class);
  }

  @Test
  void shouldRejectAnEntryThatIsTooLarge() {
    assertThat(range.propose(ReplicaFixture.mutations(1, 1, "a:" + "x".repeat(5000))).get(0))
        .isInstanceOf(RangeResult.Unavailable.class);
    assertThat(range.proposals).isEmpty();
  }

  @Test
  void shouldReportWhyTheGroupRejectedAnEntry() {
    for (ConsensusException.Kind kind : ConsensusException.Kind.values()) {
      List<RangeResult> result = range.propose(ReplicaFixture.mutations(1, 1, "a:1"));
      range.proposals.remove(0).proposal().onFailed(new ConsensusException(kind, "because"));
      Class<? extends RangeResult> expected =
          switch (kind) {
            case NOT_LEADER -> RangeResult.NotLeader.class;
            case BUSY -> RangeResult.Busy.class;
            case OUTCOME_UNKNOWN -> RangeResult.OutcomeUnknown.class;
            case CLOSED -> RangeResult.Unavailable.class;
            case FAILED -> RangeResult.StorageFailed.class;
          };
      assertThat(result).singleElement().isInstanceOf(expected);
    }
  }

  private RangeResult query(long epochVersion, long minIndex) {
    List<RangeResult> results = new ArrayList<>();
    range.replica.query(epochVersion, minIndex, "a".getBytes(UTF_8), results::add);
    return results.get(0);
  }
}
