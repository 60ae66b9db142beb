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
 * Replicas of two neighbors when one range absorbs the other: the left replica is the fixture's,
 * the right one was split off it and has its own log.
 */
class ReplicaMergeTest {
  private static final ReplicaSet BOTH = ReplicaSet.ofVoters(new NodeId("a"), new NodeId("b"));
  private static final RangeId RIGHT = new RangeId("words", 7);
  private static final byte[] FREEZE = RangeEntry.encodeFreeze(2, 1, 2);
  private static final byte[] ABSORB = RangeEntry.encodeAbsorb(2, RIGHT.number(), 2);
  private static final List<CommittedEntry> RIGHT_LOG =
      List.of(
          ReplicaFixture.entry(RangeState.INITIAL_LOG_INDEX + 1, RangeEntry.encodeRegister(), null),
          ReplicaFixture.entry(RangeState.INITIAL_LOG_INDEX + 2, mutations(2, 1, 1, "x:3"), null),
          ReplicaFixture.entry(RangeState.INITIAL_LOG_INDEX + 3, FREEZE, null));

  @TempDir Path first;
  @TempDir Path second;
  @TempDir Path copy;
  private ReplicaFixture left;
  private RangeReplica right;
  private long rightIndex = RangeState.INITIAL_LOG_INDEX;

  @BeforeEach
  void createTwoNeighbors() throws IOException {
    left = new ReplicaFixture(first);
    left.replica.onLeaderStart(1);
    long sender = left.register();
    left.execute(ReplicaFixture.mutations(sender, 1, "a:1", "x:2"));
    left.execute(RangeEntry.encodeSplit(1, RIGHT.number(), bytes("m"), BOTH));
    right = left.open(RIGHT);
    assertThat(commitInRight(RangeEntry.encodeRegister())).isEqualTo(new RangeResult.Registered(1));
    assertThat(ReplicaFixture.responses(commitInRight(mutations(2, 1, 1, "x:3"))))
        .containsExactly("2 3");
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static byte[] mutations(long version, long sender, long number, String command) {
    return RangeEntry.encodeMutations(version, sender, number, 1_000, List.of(bytes(command)));
  }

  /** Commits an entry in the group of the right range. */
  private RangeResult commitInRight(byte[] entry) {
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

  private RangeResult responseOfAbsorbed(byte[] entry) {
    return requireNonNull(new AbsorbedRange(RIGHT.number()).responseTo(entry, left.space.latest()));
  }

  private void merge() {
    assertThat(commitInRight(FREEZE)).isInstanceOf(RangeResult.Applied.class);
    assertThat(left.execute(ABSORB)).isInstanceOf(RangeResult.Applied.class);
  }

  @Test
  void shouldRejectRequestsWhileFrozen() {
    assertThat(commitInRight(FREEZE)).isInstanceOf(RangeResult.Applied.class);
    assertThat(right.status().merging())
        .isEqualTo(new ReplicaStatus.Merging(ReplicaFixture.ID, 2, true));
    assertThat(commitInRight(mutations(2, 1, 2, "x:4"))).isInstanceOf(RangeResult.Busy.class);
    assertThat(commitInRight(RangeEntry.encodeRegister())).isInstanceOf(RangeResult.Busy.class);
    assertThat(ReplicaFixture.responses(commitInRight(mutations(2, 1, 1, "x:3"))))
        .as("an entry applied before gets its response")
        .containsExactly("2 3");
    assertThat(commitInRight(RangeEntry.encodeSplit(2, 9, bytes("t"), BOTH)))
        .isInstanceOf(RangeResult.StaleEpoch.class);
    assertThat(commitInRight(RangeEntry.encodeBumpEpoch(2)))
        .isInstanceOf(RangeResult.StaleEpoch.class);
    assertThat(commitInRight(RangeEntry.encodeFreeze(2, 5, 2)))
        .isInstanceOf(RangeResult.StaleEpoch.class);
    right.onLeaderStart(1);
    List<RangeResult> read = new ArrayList<>();
    right.query(2, 0, bytes("x"), read::add);
    assertThat(read.get(0)).isInstanceOf(RangeResult.Busy.class);
    assertThat(rows(left)).isEqualTo("a=1;x=2 3;");
  }

  /** Its coprocessor may use the absorbed keys, which its reader does not show. */
  @Test
  void shouldNotRespondToAQueryDuringTheMerge() {
    assertThat(commitInRight(FREEZE)).isInstanceOf(RangeResult.Applied.class);
    left.duringQuery = () -> left.execute(ABSORB);
    List<RangeResult> read = new ArrayList<>();
    left.replica.query(2, 0, bytes("x"), read::add);
    assertThat(left.absorbedRanges).containsExactly(RIGHT);
    assertThat(read)
        .containsExactly(new RangeResult.StaleEpoch(List.of(left.replica.descriptor())));
    left.replica.query(3, 0, bytes("x"), read::add);
    assertThat(read.get(1))
        .isInstanceOfSatisfying(
            RangeResult.Success.class,
            found -> assertThat(found.response()).asString().isEqualTo("2 3"));
  }

  @Test
  void shouldAbsorbItsFrozenNeighbor() {
    merge();
    RangeDescriptor now = left.replica.descriptor();
    assertThat(now.interval()).isEqualTo(KeyInterval.ALL);
    assertThat(now.epoch().version()).isEqualTo(3);
    assertThat(ranges(left)).containsExactly(now);
    assertThat(left.absorbedRanges).containsExactly(RIGHT);
    assertThat(left.ledRanges).as("the coprocessor sees the absorbed keys").hasSize(2);
    long sender = left.register();
    assertThat(ReplicaFixture.responses(left.execute(mutations(3, sender, 1, "x:4"))))
        .containsExactly("2 3 4");
    assertThat(left.execute(ABSORB)).as("twice").isInstanceOf(RangeResult.StaleEpoch.class);
  }

  @Test
  void shouldHaltRatherThanAbsorbARangeThatIsNotFrozenForIt() {
    assertThatThrownBy(() -> left.execute(ABSORB)).hasMessageContaining("not frozen");
    commitInRight(RangeEntry.encodeFreeze(2, 1, 1));
    ReplicaFixture again = left;
    assertThatThrownBy(
            () -> {
              again.reopen().onLeaderStart(2);
              again.execute(ABSORB);
            })
        .hasMessageContaining("frozen for a different merge");
  }

  @Test
  void shouldNotAbsorbARangeAfterTheMergeWasAbandoned() {
    commitInRight(FREEZE);
    assertThat(left.execute(RangeEntry.encodeBumpEpoch(2))).isInstanceOf(RangeResult.Applied.class);
    assertThat(left.execute(ABSORB)).as("late").isInstanceOf(RangeResult.StaleEpoch.class);
    assertThat(commitInRight(RangeEntry.encodeUnfreeze(2))).isInstanceOf(RangeResult.Applied.class);
    assertThat(commitInRight(RangeEntry.encodeUnfreeze(2)))
        .isInstanceOf(RangeResult.StaleEpoch.class);
    assertThat(commitInRight(FREEZE)).as("late").isInstanceOf(RangeResult.StaleEpoch.class);
    assertThat(right.status().merging()).isNull();
    assertThat(commitInRight(mutations(2, 1, 2, "x:4"))).isInstanceOf(RangeResult.StaleEpoch.class);
    assertThat(ReplicaFixture.responses(commitInRight(mutations(3, 1, 2, "x:4"))))
        .containsExactly("2 3 4");
  }

  @Test
  void shouldRespondToRequestsForAnAbsorbedRange() {
    merge();
    assertThat(ReplicaFixture.responses(responseOfAbsorbed(mutations(2, 1, 1, "x:3"))))
        .containsExactly("2 3");
    RangeResult moved = new RangeResult.StaleEpoch(List.of(left.replica.descriptor()));
    assertThat(responseOfAbsorbed(mutations(2, 1, 2, "x:4"))).isEqualTo(moved);
    assertThat(responseOfAbsorbed(mutations(2, 1, 0, "x:0")))
        .isInstanceOf(RangeResult.OutdatedBatch.class);
    assertThat(responseOfAbsorbed(mutations(2, 9, 1, "x:4")))
        .isInstanceOf(RangeResult.SenderEvicted.class);
    assertThat(responseOfAbsorbed(RangeEntry.encodeRegister())).isEqualTo(moved);
    assertThat(new AbsorbedRange(RIGHT.number()).responseTo(null, left.space.latest()))
        .isEqualTo(moved);
  }

  @Test
  void shouldHaveBothRangesAgainWhenACrashLosesTheMerge() throws IOException {
    left.kv.flush().join();
    commitInRight(FREEZE);
    left.kv.flush().join();
    left.execute(ABSORB);
    left.disk.crash(unflushed -> 0);
    assertThat(ranges(left)).hasSize(2);
    left.reopen().onLeaderStart(2);
    right = left.open(RIGHT);
    assertThat(right.status().merging()).isNotNull();
    assertThat(left.execute(ABSORB)).isInstanceOf(RangeResult.Applied.class);
    assertThat(ranges(left)).containsExactly(left.replica.descriptor());
  }

  /** The snapshot includes the keys of the right range, whose replica is frozen on this node. */
  @Test
  void shouldReplaceTheFrozenNeighborByALaterSnapshot() throws IOException {
    ReplicaFixture behind = createLaggingReplica();
    RangeReplica frozen = behind.open(RIGHT);
    merge();
    left.execute(mutations(3, left.register(), 1, "x:4"));
    left.replica.export(copy);

    assertThatThrownBy(() -> behind.replica.install(copy)).hasMessageContaining("holds keys of");
    frozen.apply(List.of(ReplicaFixture.entry(++rightIndex, FREEZE, null)));
    behind.replica.install(copy);
    assertThat(ranges(behind)).containsExactly(left.replica.descriptor());
    assertThat(behind.absorbedRanges).containsExactly(RIGHT);
    assertThat(rows(behind)).isEqualTo("a=1;x=2 3 4;");
    assertThat(
            new AbsorbedRange(RIGHT.number())
                .responseTo(mutations(2, 1, 1, "x:3"), behind.space.latest()))
        .isInstanceOf(RangeResult.Applied.class);
  }

  /**
   * The next leader of the left range may have the merge entry without knowing whether it is
   * committed; the other voter may need a snapshot before there is a leader.
   */
  @Test
  void shouldInstallAnEarlierSnapshotAndApplyTheMergeFromTheLog() throws IOException {
    exportEarlierSnapshot();
    ReplicaFixture behind = createLaggingReplica();
    RangeReplica existing = behind.open(RIGHT);
    existing.apply(RIGHT_LOG);
    behind.replica.install(copy);
    assertThat(rows(behind)).isEqualTo("a=1;b=1;x=2 3;");
    assertThat(existing.status().merging()).isEqualTo(right.status().merging());
    behind.replica.apply(List.of(ReplicaFixture.entry(6, ABSORB, null)));
    left.execute(ABSORB);
    assertThat(ranges(behind)).hasSize(1).isEqualTo(ranges(left));
  }

  /** If it had been proposed, the neighbor would be frozen on this node too. */
  @Test
  void shouldInstallAnEarlierSnapshotIfTheMergeCannotHaveBeenProposed() throws IOException {
    exportEarlierSnapshot();
    ReplicaFixture behind = createLaggingReplica();
    behind.replica.install(copy);
    assertThat(rows(behind)).isEqualTo("a=1;b=1;x=2;");
  }

  /** It joined the group later, and would lack the rows that it is to absorb. */
  @Test
  void shouldRejectAnEarlierSnapshotIfTheReplicaIsNewAndTheNeighborNotFrozen() throws IOException {
    exportEarlierSnapshot();
    ReplicaFixture added = new ReplicaFixture(second);
    assertThatThrownBy(() -> added.replica.install(copy))
        .isInstanceOf(SnapshotRefusedException.class)
        .hasMessageContaining("words-7, which is not frozen on this node yet");
    assertThat(added.replica.appliedIndex()).isZero();
    left.execute(ABSORB);
    left.replica.export(copy);
    added.replica.install(copy);
    assertThat(rows(added)).isEqualTo("a=1;b=1;x=2 3;");
  }

  /** That merge was abandoned, which the sender of the snapshot has not applied yet. */
  @Test
  void shouldNameTheNeighborFrozenForALaterVersionInASnapshot() throws IOException {
    commitInRight(RangeEntry.encodeFreeze(2, 1, 3));
    left.replica.export(copy);
    ReplicaFixture added = new ReplicaFixture(second);
    assertThatThrownBy(() -> added.replica.install(copy))
        .isInstanceOf(SnapshotRefusedException.class);
  }

  /** The receiver would not be new to the log, but would lack the neighbor. */
  @Test
  void shouldNotInstallANewChildForWhichANeighborIsFrozen() throws IOException {
    left.execute(RangeEntry.encodeSplit(2, 8, bytes("f"), BOTH));
    left.replica.export(copy);
    Path file = copy.resolve(ReplicaSnapshot.FILE);
    assertThat(ReceivedSnapshot.read(ReplicaFixture.ID, file).newChildren()).hasSize(1);
    commitInRight(RangeEntry.encodeFreeze(2, 8, 3));
    left.replica.export(copy);
    assertThat(ReceivedSnapshot.read(ReplicaFixture.ID, file).newChildren()).isEmpty();
  }

  /** Its rows are final, and its neighbor may be absorbing them, but it still needs a leader. */
  @Test
  void shouldInstallOnlyTheProgressFromASnapshotOfAFrozenRange() throws IOException {
    commitInRight(FREEZE);
    commitInRight(mutations(2, 1, 2, "x:4"));
    right.export(copy);
    ReplicaFixture behind = createLaggingReplica();
    RangeReplica existing = behind.open(RIGHT);
    existing.apply(RIGHT_LOG);
    existing.install(copy);
    assertThat(existing.appliedIndex()).isEqualTo(right.appliedIndex());
    assertThat(existing.status().merging()).isEqualTo(right.status().merging());
    assertThat(rows(behind)).isEqualTo("a=1;x=2 3;");
    behind.disk.crash(unflushed -> 0);
    assertThat(behind.open(RIGHT).appliedIndex()).isEqualTo(right.appliedIndex());
  }

  @Test
  void shouldRejectASnapshotOfAnAbsorbedRange() throws IOException {
    commitInRight(FREEZE);
    right.export(copy);
    left.execute(ABSORB);
    assertThatThrownBy(() -> right.install(copy))
        .isInstanceOf(SnapshotRefusedException.class)
        .hasMessageContaining("was merged into another");
    assertThatThrownBy(() -> right.export(copy)).isInstanceOf(IOException.class);
    assertThat(ranges(left)).hasSize(1);
  }

  /** The snapshot stays on disk for a while if the node crashes during the installation. */
  @Test
  void shouldNotFreezeANeighborAgainThatWasUnfrozenDuringAnInstallation() throws IOException {
    exportEarlierSnapshot();
    ReplicaFixture behind = createLaggingReplica();
    behind.open(RIGHT).apply(RIGHT_LOG);
    SnapshotInstaller installer = behind.installerFailingAfter(1);
    assertThatThrownBy(() -> installer.install(copy)).isInstanceOf(KvException.class);
    RangeReplica existing = behind.open(RIGHT);
    existing.apply(
        List.of(
            ReplicaFixture.entry(
                RangeState.INITIAL_LOG_INDEX + 4, RangeEntry.encodeUnfreeze(2), null),
            ReplicaFixture.entry(
                RangeState.INITIAL_LOG_INDEX + 5, mutations(3, 1, 2, "x:4"), null)));
    behind.reopen();
    assertThat(rows(behind)).isEqualTo("a=1;b=1;x=2 3 4;");
    assertThat(behind.open(RIGHT).status().merging()).isNull();
  }

  /**
   * Exports a snapshot of the left range, whose leader has just failed, while the right range is
   * frozen.
   */
  private void exportEarlierSnapshot() throws IOException {
    commitInRight(FREEZE);
    left.execute(mutations(2, left.register(), 1, "b:1"));
    left.replica.onLeaderStop();
    left.replica.export(copy);
    left.replica.onLeaderStart(2);
  }

  /** Creates a replica that has applied the split and nothing after it. */
  private ReplicaFixture createLaggingReplica() throws IOException {
    ReplicaFixture behind = new ReplicaFixture(second);
    byte[] split = RangeEntry.encodeSplit(1, RIGHT.number(), bytes("m"), BOTH);
    RangeEntry.stamp(split, behind.clock.millis(), 1, 3); // as the leader did
    behind.replica.apply(
        List.of(
            ReplicaFixture.entry(1, RangeEntry.encodeRegister(), null),
            ReplicaFixture.entry(2, ReplicaFixture.mutations(1, 1, "a:1", "x:2"), null),
            ReplicaFixture.entry(3, split, null)));
    return behind;
  }

  @Test
  void shouldKeepOnlyTheNumberOfAnAbsorbedRangeAfterAnHour() {
    merge();
    left.clock.advance(Duration.ofMillis(AbsorbedRange.RETENTION_MILLIS + 1));
    left.execute(RangeEntry.encodeSplit(3, 8, bytes("t"), BOTH));
    RangeKeys next = new RangeKeys(8);
    left.space.write(frozenRow(next));
    left.execute(RangeEntry.encodeAbsorb(4, 8, 4));
    assertThat(new AbsorbedRange(RIGHT.number()).responseTo(null, left.space.latest())).isNull();
    assertThat(AbsorbedRange.absorbedNumbers(new RangeKeys(1), left.space.latest()))
        .containsExactly(7L, 8L);
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
