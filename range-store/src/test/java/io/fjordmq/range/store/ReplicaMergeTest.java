package io.fjordmq.range.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.CommittedEntry;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.SnapshotRefusedException;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeDescriptorCodec;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.kv.KvBatch;
import io.fjordmq.range.kv.KvException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What replicas of two neighbours do when one takes in the other: the left one is the fixture's,
 * the right one was split off it and has a log of its own.
 */
class ReplicaMergeTest {
  private static final ReplicaSet BOTH = ReplicaSet.ofVoters(new NodeId("a"), new NodeId("b"));
  private static final RangeId RIGHT = new RangeId("words", 7);
  private static final byte[] FREEZE = RangeEntry.encodeFreeze(2, 1, 2);
  private static final byte[] ABSORB = RangeEntry.encodeAbsorb(2, RIGHT.number(), 2);
  private static final List<CommittedEntry> RIGHT_LOG =
      List.of(
          ReplicaFixture.entry(RangeState.BEGINNING + 1, RangeEntry.encodeRegister(), null),
          ReplicaFixture.entry(RangeState.BEGINNING + 2, mutations(2, 1, 1, "x:3"), null),
          ReplicaFixture.entry(RangeState.BEGINNING + 3, FREEZE, null));

  @TempDir Path first;
  @TempDir Path second;
  @TempDir Path copy;
  private ReplicaFixture left;
  private RangeReplica right;
  private long rightIndex = RangeState.BEGINNING;

  @BeforeEach
  void twoNeighbours() throws IOException {
    left = new ReplicaFixture(first);
    left.replica.leading(1);
    long sender = left.register();
    left.execute(ReplicaFixture.mutations(sender, 1, "a:1", "x:2"));
    left.execute(RangeEntry.encodeSplit(1, RIGHT.number(), bytes("m"), BOTH));
    right = left.open(RIGHT);
    assertThat(toRight(RangeEntry.encodeRegister())).isEqualTo(new RangeResult.Registered(1));
    assertThat(ReplicaFixture.answers(toRight(mutations(2, 1, 1, "x:3")))).containsExactly("2 3");
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static byte[] mutations(long version, long sender, long number, String command) {
    return RangeEntry.encodeMutations(version, sender, number, 1_000, List.of(bytes(command)));
  }

  /** The right range's group has agreed on an entry. */
  private RangeResult toRight(byte[] entry) {
    List<RangeResult> results = new ArrayList<>();
    right.apply(
        List.of(ReplicaFixture.entry(++rightIndex, entry, new PendingEntry(results::add, 0))));
    return results.get(0);
  }

  private static String rows(ReplicaFixture of) {
    StringBuilder rows = new StringBuilder();
    of.space
        .latest()
        .scan(
            new byte[] {RangeKeys.DATA},
            null,
            (key, value) -> {
              rows.append(new String(key, 1, key.length - 1, UTF_8)).append('=');
              rows.append(new String(value, UTF_8)).append(';');
              return true;
            });
    return rows.toString();
  }

  private static List<RangeDescriptor> ranges(ReplicaFixture of) {
    return RangeKeys.descriptors(of.space.latest()).stream()
        .map(RangeDescriptorCodec::decode)
        .toList();
  }

  private RangeResult ask(byte[] entry) {
    return requireNonNull(new AbsorbedRange(RIGHT.number()).answer(entry, left.space.latest()));
  }

  private void merge() {
    assertThat(toRight(FREEZE)).isInstanceOf(RangeResult.Applied.class);
    assertThat(left.execute(ABSORB)).isInstanceOf(RangeResult.Applied.class);
  }

  @Test
  void shouldStandStillWhileFrozen() {
    assertThat(toRight(FREEZE)).isInstanceOf(RangeResult.Applied.class);
    assertThat(right.status().merging())
        .isEqualTo(new ReplicaStatus.Merging(ReplicaFixture.ID, 2, true));
    assertThat(toRight(mutations(2, 1, 2, "x:4"))).isInstanceOf(RangeResult.Busy.class);
    assertThat(toRight(RangeEntry.encodeRegister())).isInstanceOf(RangeResult.Busy.class);
    assertThat(ReplicaFixture.answers(toRight(mutations(2, 1, 1, "x:3"))))
        .as("what was applied before is answered")
        .containsExactly("2 3");
    assertThat(toRight(RangeEntry.encodeSplit(2, 9, bytes("t"), BOTH)))
        .isInstanceOf(RangeResult.StaleEpoch.class);
    assertThat(toRight(RangeEntry.encodeRenew(2))).isInstanceOf(RangeResult.StaleEpoch.class);
    assertThat(toRight(RangeEntry.encodeFreeze(2, 5, 2)))
        .isInstanceOf(RangeResult.StaleEpoch.class);
    right.leading(1);
    List<RangeResult> read = new ArrayList<>();
    right.query(2, 0, bytes("x"), read::add);
    assertThat(read.get(0)).isInstanceOf(RangeResult.Busy.class);
    assertThat(rows(left)).isEqualTo("a=1;x=2 3;");
  }

  /** Its coprocessor may count on the keys that have come, which its reader does not show. */
  @Test
  void shouldNotAnswerAQueryThatMeetsTheMerge() {
    assertThat(toRight(FREEZE)).isInstanceOf(RangeResult.Applied.class);
    left.duringQuery = () -> left.execute(ABSORB);
    List<RangeResult> read = new ArrayList<>();
    left.replica.query(2, 0, bytes("x"), read::add);
    assertThat(left.absorbed).containsExactly(RIGHT);
    assertThat(read)
        .containsExactly(new RangeResult.StaleEpoch(List.of(left.replica.descriptor())));
    left.replica.query(3, 0, bytes("x"), read::add);
    assertThat(read.get(1))
        .isInstanceOfSatisfying(
            RangeResult.Answered.class,
            found -> assertThat(found.answer()).asString().isEqualTo("2 3"));
  }

  @Test
  void shouldTakeInItsFrozenNeighbour() {
    merge();
    RangeDescriptor now = left.replica.descriptor();
    assertThat(now.interval()).isEqualTo(KeyInterval.ALL);
    assertThat(now.epoch().version()).isEqualTo(3);
    assertThat(ranges(left)).containsExactly(now);
    assertThat(left.absorbed).containsExactly(RIGHT);
    assertThat(left.led).as("sessions look at the keys that have come").hasSize(2);
    long sender = left.register();
    assertThat(ReplicaFixture.answers(left.execute(mutations(3, sender, 1, "x:4"))))
        .containsExactly("2 3 4");
    assertThat(left.execute(ABSORB)).as("twice").isInstanceOf(RangeResult.StaleEpoch.class);
  }

  @Test
  void shouldHaltRatherThanTakeInWhatIsNotFrozenForIt() {
    assertThatThrownBy(() -> left.execute(ABSORB)).hasMessageContaining("not frozen");
    toRight(RangeEntry.encodeFreeze(2, 1, 1));
    ReplicaFixture again = left;
    assertThatThrownBy(
            () -> {
              again.reopen().leading(2);
              again.execute(ABSORB);
            })
        .hasMessageContaining("frozen for something else");
  }

  @Test
  void shouldNotTakeItInWhenThatWasGivenUp() {
    toRight(FREEZE);
    assertThat(left.execute(RangeEntry.encodeRenew(2))).isInstanceOf(RangeResult.Applied.class);
    assertThat(left.execute(ABSORB)).as("late").isInstanceOf(RangeResult.StaleEpoch.class);
    assertThat(toRight(RangeEntry.encodeUnfreeze(2))).isInstanceOf(RangeResult.Applied.class);
    assertThat(toRight(RangeEntry.encodeUnfreeze(2))).isInstanceOf(RangeResult.StaleEpoch.class);
    assertThat(toRight(FREEZE)).as("late").isInstanceOf(RangeResult.StaleEpoch.class);
    assertThat(right.status().merging()).isNull();
    assertThat(toRight(mutations(2, 1, 2, "x:4"))).isInstanceOf(RangeResult.StaleEpoch.class);
    assertThat(ReplicaFixture.answers(toRight(mutations(3, 1, 2, "x:4")))).containsExactly("2 3 4");
  }

  @Test
  void shouldAnswerWhoStillAsksForWhatItTookIn() {
    merge();
    assertThat(ReplicaFixture.answers(ask(mutations(2, 1, 1, "x:3")))).containsExactly("2 3");
    RangeResult moved = new RangeResult.StaleEpoch(List.of(left.replica.descriptor()));
    assertThat(ask(mutations(2, 1, 2, "x:4"))).isEqualTo(moved);
    assertThat(ask(mutations(2, 1, 0, "x:0"))).isInstanceOf(RangeResult.Outdated.class);
    assertThat(ask(mutations(2, 9, 1, "x:4"))).isInstanceOf(RangeResult.SenderForgotten.class);
    assertThat(ask(RangeEntry.encodeRegister())).isEqualTo(moved);
    assertThat(new AbsorbedRange(RIGHT.number()).answer(null, left.space.latest()))
        .isEqualTo(moved);
  }

  @Test
  void shouldHaveBothRangesAgainWhenACrashTakesTheMerge() throws IOException {
    left.kv.flush().join();
    toRight(FREEZE);
    left.kv.flush().join();
    left.execute(ABSORB);
    left.disk.crash(unflushed -> 0);
    assertThat(ranges(left)).hasSize(2);
    left.reopen().leading(2);
    right = left.open(RIGHT);
    assertThat(right.status().merging()).isNotNull();
    assertThat(left.execute(ABSORB)).isInstanceOf(RangeResult.Applied.class);
    assertThat(ranges(left)).containsExactly(left.replica.descriptor());
  }

  /** The copy holds what became of the right range, whose replica there stands still. */
  @Test
  void shouldReplaceTheFrozenNeighbourByACopyFromAfter() throws IOException {
    ReplicaFixture behind = behind();
    RangeReplica frozen = behind.open(RIGHT);
    merge();
    left.execute(mutations(3, left.register(), 1, "x:4"));
    left.replica.export(copy);

    assertThatThrownBy(() -> behind.replica.install(copy)).hasMessageContaining("holds keys of");
    frozen.apply(List.of(ReplicaFixture.entry(++rightIndex, FREEZE, null)));
    behind.replica.install(copy);
    assertThat(ranges(behind)).containsExactly(left.replica.descriptor());
    assertThat(behind.absorbed).containsExactly(RIGHT);
    assertThat(rows(behind)).isEqualTo("a=1;x=2 3 4;");
    assertThat(
            new AbsorbedRange(RIGHT.number())
                .answer(mutations(2, 1, 1, "x:3"), behind.space.latest()))
        .isInstanceOf(RangeResult.Applied.class);
  }

  /**
   * Who leads the left range next may have the entry that merges, and cannot know; the other voter
   * may need a copy before anybody leads.
   */
  @Test
  void shouldTakeACopyFromBeforeAndTheMergeFromTheLog() throws IOException {
    copyFromBefore();
    ReplicaFixture behind = behind();
    RangeReplica standing = behind.open(RIGHT);
    standing.apply(RIGHT_LOG);
    behind.replica.install(copy);
    assertThat(rows(behind)).isEqualTo("a=1;b=1;x=2 3;");
    assertThat(standing.status().merging()).isEqualTo(right.status().merging());
    behind.replica.apply(List.of(ReplicaFixture.entry(6, ABSORB, null)));
    left.execute(ABSORB);
    assertThat(ranges(behind)).hasSize(1).isEqualTo(ranges(left));
  }

  /** If it had been proposed, it would be frozen there, too. */
  @Test
  void shouldTakeACopyFromBeforeAsLongAsTheMergeCannotHaveBeenProposed() throws IOException {
    copyFromBefore();
    ReplicaFixture behind = behind();
    behind.replica.install(copy);
    assertThat(rows(behind)).isEqualTo("a=1;b=1;x=2;");
  }

  /** It came to the group later, and would not have what it is to take in. */
  @Test
  void shouldRefuseACopyFromBeforeWhereTheReplicaIsNewAndTheNeighbourNotFrozen()
      throws IOException {
    copyFromBefore();
    ReplicaFixture added = new ReplicaFixture(second);
    assertThatThrownBy(() -> added.replica.install(copy))
        .isInstanceOf(SnapshotRefusedException.class)
        .hasMessageContaining("words-7, which is not frozen here yet");
    assertThat(added.replica.appliedIndex()).isZero();
    left.execute(ABSORB);
    left.replica.export(copy);
    added.replica.install(copy);
    assertThat(rows(added)).isEqualTo("a=1;b=1;x=2 3;");
  }

  /** It was given up before, and that is not applied yet where the copy is made. */
  @Test
  void shouldNameInACopyWhoStandsStillForALaterVersion() throws IOException {
    toRight(RangeEntry.encodeFreeze(2, 1, 3));
    left.replica.export(copy);
    ReplicaFixture added = new ReplicaFixture(second);
    assertThatThrownBy(() -> added.replica.install(copy))
        .isInstanceOf(SnapshotRefusedException.class);
  }

  /** Who gets it would not be new to its log, and would not have the neighbour. */
  @Test
  void shouldBringNoNewbornRangeForWhichANeighbourStandsStill() throws IOException {
    left.execute(RangeEntry.encodeSplit(2, 8, bytes("f"), BOTH));
    left.replica.export(copy);
    Path file = copy.resolve(ReplicaSnapshot.FILE);
    assertThat(ReceivedSnapshot.read(ReplicaFixture.ID, file).newChildren()).hasSize(1);
    toRight(RangeEntry.encodeFreeze(2, 8, 3));
    left.replica.export(copy);
    assertThat(ReceivedSnapshot.read(ReplicaFixture.ID, file).newChildren()).isEmpty();
  }

  /** Its rows are final, and its neighbour may be taking them in; but somebody must lead it. */
  @Test
  void shouldTakeOfACopyOfWhatIsFrozenHowFarItIsAndNothingElse() throws IOException {
    toRight(FREEZE);
    toRight(mutations(2, 1, 2, "x:4"));
    right.export(copy);
    ReplicaFixture behind = behind();
    RangeReplica standing = behind.open(RIGHT);
    standing.apply(RIGHT_LOG);
    standing.install(copy);
    assertThat(standing.appliedIndex()).isEqualTo(right.appliedIndex());
    assertThat(standing.status().merging()).isEqualTo(right.status().merging());
    assertThat(rows(behind)).isEqualTo("a=1;x=2 3;");
    behind.disk.crash(unflushed -> 0);
    assertThat(behind.open(RIGHT).appliedIndex()).isEqualTo(right.appliedIndex());
  }

  @Test
  void shouldRefuseACopyOfWhatItsNeighbourHasTakenIn() throws IOException {
    toRight(FREEZE);
    right.export(copy);
    left.execute(ABSORB);
    assertThatThrownBy(() -> right.install(copy))
        .isInstanceOf(SnapshotRefusedException.class)
        .hasMessageContaining("was merged into another");
    assertThatThrownBy(() -> right.export(copy)).isInstanceOf(IOException.class);
    assertThat(ranges(left)).hasSize(1);
  }

  /** The copy lies on the disk for a while, if the node dies while it is installed. */
  @Test
  void shouldNotFreezeANeighbourAgainThatWentOnWhileACopyWasInstalled() throws IOException {
    copyFromBefore();
    ReplicaFixture behind = behind();
    behind.open(RIGHT).apply(RIGHT_LOG);
    ReplicaSnapshot snapshots = behind.installingUntil(1);
    assertThatThrownBy(() -> snapshots.install(copy)).isInstanceOf(KvException.class);
    RangeReplica standing = behind.open(RIGHT);
    standing.apply(
        List.of(
            ReplicaFixture.entry(RangeState.BEGINNING + 4, RangeEntry.encodeUnfreeze(2), null),
            ReplicaFixture.entry(RangeState.BEGINNING + 5, mutations(3, 1, 2, "x:4"), null)));
    behind.reopen();
    assertThat(rows(behind)).isEqualTo("a=1;b=1;x=2 3 4;");
    assertThat(behind.open(RIGHT).status().merging()).isNull();
  }

  /** Of the left range, whose leader has just gone, while the right one stands still. */
  private void copyFromBefore() throws IOException {
    toRight(FREEZE);
    left.execute(mutations(2, left.register(), 1, "b:1"));
    left.replica.following();
    left.replica.export(copy);
    left.replica.leading(2);
  }

  /** Another node, that knows of the split and of nothing after it. */
  private ReplicaFixture behind() throws IOException {
    ReplicaFixture behind = new ReplicaFixture(second);
    byte[] split = RangeEntry.encodeSplit(1, RIGHT.number(), bytes("m"), BOTH);
    RangeEntry.stamp(split, behind.clock.millis(), 3); // as the leader did
    behind.replica.apply(
        List.of(
            ReplicaFixture.entry(1, RangeEntry.encodeRegister(), null),
            ReplicaFixture.entry(2, ReplicaFixture.mutations(1, 1, "a:1", "x:2"), null),
            ReplicaFixture.entry(3, split, null)));
    return behind;
  }

  @Test
  void shouldForgetAllButTheNumberAfterAnHour() {
    merge();
    left.clock.advance(Duration.ofMillis(AbsorbedRange.REMEMBERED_MILLIS + 1));
    left.execute(RangeEntry.encodeSplit(3, 8, bytes("t"), BOTH));
    RangeKeys next = new RangeKeys(8);
    left.space.write(frozenRow(next));
    left.execute(RangeEntry.encodeAbsorb(4, 8, 4));
    assertThat(new AbsorbedRange(RIGHT.number()).answer(null, left.space.latest())).isNull();
    assertThat(AbsorbedRange.parts(new RangeKeys(1), left.space.latest())).containsExactly(7L, 8L);
  }

  private static KvBatch frozenRow(RangeKeys of) {
    KvBatch batch = new KvBatch();
    batch.put(of.frozen(), new FreezeRecord(1, 4, 11, 0).encode());
    return batch;
  }

  @Test
  void shouldKeepTheBytesOfItsRows() {
    byte[] frozen = new FreezeRecord(1, 2, 3, 4).encode();
    assertThat(HexFormat.of().formatHex(frozen))
        .isEqualTo("01" + "0000000000000001000000000000000200000000000000030000000000000004");
    assertThat(FreezeRecord.decode(frozen)).isEqualTo(new FreezeRecord(1, 2, 3, 4));
    merge();
    byte[] into = RangeDescriptorCodec.encode(left.replica.descriptor());
    byte[] row = left.space.latest().get(new RangeKeys(RIGHT.number()).absorbed());
    assertThat(HexFormat.of().formatHex(row))
        .isEqualTo(
            "01"
                + "%016x".formatted(left.clock.millis())
                + "%02x".formatted(into.length)
                + HexFormat.of().formatHex(into)
                + "00");
  }
}
