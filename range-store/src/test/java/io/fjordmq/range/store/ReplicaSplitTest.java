package io.fjordmq.range.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.kv.KvBatch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How one replica applies a split, and what a crash leaves behind. */
class ReplicaSplitTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final ReplicaSet BOTH = ReplicaSet.ofVoters(A, B);
  private static final RangeId CHILD = new RangeId("words", 7);
  private static final GroupId CHILD_GROUP = new GroupId("words-7");
  private static final RangeEpoch SECOND_EPOCH = new RangeEpoch(2, 1);

  @TempDir Path first;
  @TempDir Path second;
  @TempDir Path copy;
  private ReplicaFixture range;
  private long sender;

  @BeforeEach
  void createLeadingReplica() throws IOException {
    range = new ReplicaFixture(first);
    range.replica.onLeaderStart(1);
    sender = range.register();
    range.execute(ReplicaFixture.mutations(sender, 1, "a:1", "x:2"));
  }

  private static byte[] split(String key, ReplicaSet replicas) {
    return RangeEntry.encodeSplit(1, CHILD.number(), bytes(key), replicas);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  @SuppressWarnings("NullAway") // the checker does not see in class files that an array may be null
  private static RangeDescriptor child(ReplicaSet replicas) {
    return new RangeDescriptor(CHILD, new KeyInterval(bytes("m"), null), SECOND_EPOCH, replicas);
  }

  private List<String> keys(ReplicaFixture of) {
    List<String> keys = new ArrayList<>();
    of.space
        .latest()
        .scan(
            new byte[] {RangeKeys.DATA},
            null,
            (key, value) -> keys.add(new String(key, 1, key.length - 1, UTF_8)));
    return keys;
  }

  @Test
  void shouldNarrowTheRangeAndCreateAnother() {
    assertThat(range.execute(split("m", BOTH))).isInstanceOf(RangeResult.Applied.class);
    RangeDescriptor left = range.replica.descriptor();
    assertThat(left.interval()).isEqualTo(new KeyInterval(new byte[0], bytes("m")));
    assertThat(left.epoch()).isEqualTo(SECOND_EPOCH);
    assertThat(left.replicas()).isEqualTo(BOTH);
    assertThat(range.groups.createdGroups())
        .containsExactly(
            java.util.Map.entry(
                CHILD_GROUP, new CreatedGroups.Group(BOTH, RangeState.INITIAL_LOG_INDEX)));
    assertThat(range.createdRanges).containsExactly(child(BOTH));
    RangeState state = RangeState.load(CHILD, range.space.latest());
    assertThat(state.descriptor()).isEqualTo(child(BOTH));
    assertThat(state.appliedIndex()).isEqualTo(RangeState.INITIAL_LOG_INDEX);
    assertThat(keys(range)).containsExactly("a", "x");
  }

  @Test
  void shouldRejectStaleBatchesUnlessTheyWereAppliedBeforeTheSplit() {
    List<RangeResult> splitting = range.propose(split("m", BOTH));
    List<RangeResult> behind = range.propose(ReplicaFixture.mutations(sender, 2, "a:late"));
    List<RangeResult> again = range.propose(ReplicaFixture.mutations(sender, 1, "a:1", "x:2"));
    range.commitAll(); // all at once
    assertThat(splitting.get(0)).isInstanceOf(RangeResult.Applied.class);
    assertThat(behind.get(0))
        .isEqualTo(new RangeResult.StaleEpoch(List.of(child(BOTH), range.replica.descriptor())));
    assertThat(again.get(0)).isInstanceOf(RangeResult.Applied.class);
  }

  @Test
  void shouldIgnoreASplitForAnotherEpoch() {
    range.execute(split("m", BOTH));
    range.createdRanges.clear();
    assertThat(range.execute(RangeEntry.encodeSplit(1, 8, bytes("c"), BOTH)))
        .isInstanceOf(RangeResult.StaleEpoch.class);
    assertThat(range.execute(RangeEntry.encodeSplit(2, 8, bytes("z"), BOTH)))
        .as("a key of the new range")
        .isInstanceOf(RangeResult.StaleEpoch.class);
    assertThat(range.execute(RangeEntry.encodeSplit(2, 8, new byte[0], BOTH)))
        .as("its own start")
        .isInstanceOf(RangeResult.StaleEpoch.class);
    assertThat(range.createdRanges).isEmpty();
    assertThat(range.groups.createdGroups()).hasSize(1);
  }

  @Test
  void shouldDropTheKeysIfTheNewRangeHasNoReplicaOnThisNode() {
    range.execute(split("m", ReplicaSet.ofVoters(B)));
    assertThat(keys(range)).containsExactly("a");
    assertThat(range.groups.createdGroups()).isEmpty();
    assertThat(range.createdRanges).isEmpty();
  }

  @Test
  void shouldNotRecreateAReplicaThatWasRemovedFromThisNode() {
    KvBatch batch = new KvBatch();
    batch.put(new RangeKeys(CHILD.number()).removing(), new byte[] {2});
    range.space.write(batch);
    range.execute(split("m", BOTH));
    assertThat(range.groups.createdGroups()).isEmpty();
    assertThat(keys(range)).containsExactly("a");
  }

  @Test
  void shouldSplitAgainAfterACrashThatLostItsRows() throws IOException {
    byte[] entry = split("m", BOTH);
    range.execute(entry);
    range.disk.crash(unflushed -> 0);
    range.kv.flush().join();
    assertThat(RangeKeys.descriptors(range.space.latest())).as("all rows are lost").isEmpty();
    ReplicaFixture restarted = new ReplicaFixture(second);
    restarted.groups.create(CHILD_GROUP, BOTH, 99); // unchanged
    restarted.replica.apply(List.of(ReplicaFixture.entry(1, entry, null)));
    assertThat(restarted.groups.createdGroups().get(CHILD_GROUP))
        .as("its group is unchanged")
        .isEqualTo(new CreatedGroups.Group(BOTH, 99));
    assertThat(restarted.createdRanges).containsExactly(child(BOTH));
  }

  @Test
  void shouldKeepItsIntervalAfterARestart() throws IOException {
    range.execute(split("m", BOTH));
    range.kv.flush().join();
    range.reopen();
    range.replica.onLeaderStart(2);
    assertThat(range.replica.descriptor().epoch()).isEqualTo(SECOND_EPOCH);
    assertThat(range.execute(ReplicaFixture.mutations(sender, 2, "a:3")))
        .isEqualTo(new RangeResult.StaleEpoch(List.of(child(BOTH), range.replica.descriptor())));
  }

  @Test
  void shouldAddAnEmptyReplicaOfAChildThatASnapshotSkips() throws IOException {
    ReplicaFixture behind = new ReplicaFixture(second);
    behind.replica.apply(
        List.of(
            ReplicaFixture.entry(1, RangeEntry.encodeRegister(), null),
            ReplicaFixture.entry(2, ReplicaFixture.mutations(1, 1, "x:2"), null)));
    ReplicaSet withLearner = new ReplicaSet(Set.of(A, B), Set.of(new NodeId("c")));
    range.execute(split("m", withLearner));
    createChildState(RangeState.INITIAL_LOG_INDEX + 1);
    range.replica.export(copy);
    behind.replica.install(copy);
    ReplicaSet others = new ReplicaSet(Set.of(B), Set.of(new NodeId("c")));
    assertThat(behind.createdRanges).containsExactly(child(others));
    assertThat(behind.groups.createdGroups().get(CHILD_GROUP))
        .isEqualTo(new CreatedGroups.Group(others, 0));
    assertThat(keys(behind)).containsExactly("a");
    RangeState state = RangeState.load(CHILD, behind.space.latest());
    assertThat(state.needsSnapshot()).isTrue();
    behind.replica.install(copy);
    assertThat(behind.createdRanges).as("once is enough").hasSize(1);
  }

  /** A majority has its rows. */
  private void createChildState(long index) {
    KvBatch batch = new KvBatch();
    RangeState.create(child(BOTH), index, 0, batch);
    range.space.write(batch);
  }

  @Test
  void shouldGetTheRowsOfASkippedChildWhileNoOtherNodeMayHaveThem() throws IOException {
    range.execute(split("m", BOTH));
    range.replica.export(copy);
    ReplicaFixture behind = createLaggingReplica();
    behind.groups.create(CHILD_GROUP, ReplicaSet.ofVoters(B), 0); // left by a crash
    behind.replica.install(copy);
    assertThat(behind.createdRanges).containsExactly(child(BOTH));
    assertThat(behind.groups.createdGroups().get(CHILD_GROUP))
        .as("as if it had applied the split")
        .isEqualTo(new CreatedGroups.Group(BOTH, RangeState.INITIAL_LOG_INDEX));
    assertThat(keys(behind)).containsExactly("a", "x");
    RangeState state = RangeState.load(CHILD, behind.space.latest());
    assertThat(state.descriptor()).isEqualTo(child(BOTH));
    assertThat(state.appliedIndex()).isEqualTo(RangeState.INITIAL_LOG_INDEX);
  }

  private ReplicaFixture createLaggingReplica() throws IOException {
    ReplicaFixture behind = new ReplicaFixture(second);
    behind.replica.apply(
        List.of(
            ReplicaFixture.entry(1, RangeEntry.encodeRegister(), null),
            ReplicaFixture.entry(2, ReplicaFixture.mutations(1, 1, "y:old"), null)));
    return behind;
  }

  @Test
  void shouldNotChangeAnExistingReplicaOfTheChild() throws IOException {
    range.execute(split("m", BOTH));
    range.replica.export(copy);
    KvBatch later = new KvBatch();
    later.put(RangeKeys.data(bytes("z")), bytes("written since"));
    later.delete(RangeKeys.data(bytes("x")));
    range.space.write(later);
    createChildState(RangeState.INITIAL_LOG_INDEX + 2);
    range.createdRanges.clear();
    range.replica.install(copy);
    assertThat(range.createdRanges).isEmpty();
    assertThat(keys(range)).containsExactly("a", "z");
    assertThat(RangeState.load(CHILD, range.space.latest()).appliedIndex())
        .isEqualTo(RangeState.INITIAL_LOG_INDEX + 2);
  }

  @Test
  void shouldNotGetTheRowsOfAChildWithoutAReplicaOnThisNode() throws IOException {
    range.execute(split("m", BOTH));
    range.replica.export(copy);
    ReplicaFixture behind = createLaggingReplica();
    KvBatch batch = new KvBatch();
    batch.put(new RangeKeys(CHILD.number()).removing(), new byte[] {2});
    behind.space.write(batch);
    behind.replica.install(copy);
    assertThat(behind.createdRanges).isEmpty();
    assertThat(keys(behind)).containsExactly("a");
  }

  @Test
  void shouldNotSendTheRowsOfAChildThatIsBeingInstalled() throws IOException {
    range.execute(split("m", BOTH));
    KvBatch batch = new KvBatch();
    batch.put(new RangeKeys(CHILD.number()).installing(), new byte[] {1});
    range.space.write(batch);
    range.replica.export(copy);
    ReplicaFixture behind = createLaggingReplica();
    behind.replica.install(copy);
    assertThat(RangeState.load(CHILD, behind.space.latest()).needsSnapshot()).isTrue();
    assertThat(keys(behind)).containsExactly("a");
  }

  @Test
  void shouldGetTheRowsOfAChildDespiteACrashDuringTheInstallation() throws IOException {
    KvBatch large = new KvBatch();
    for (int i = 1; i <= 9; i++) {
      large.put(RangeKeys.data(bytes("x" + i)), new byte[RowFile.CHUNK_BYTES / 3]);
    }
    range.space.write(large);
    range.execute(split("m", BOTH));
    range.replica.export(copy);
    for (int writes = 1; writes <= 3; writes++) {
      ReplicaFixture behind = new ReplicaFixture(second);
      SnapshotInstaller installer = behind.installerFailingAfter(writes);
      assertThatThrownBy(() -> installer.install(copy)).hasMessageContaining("simulated");
      behind.kv.flush().join(); // the rows written before are there after the crash
      behind.reopen();
      assertThat(behind.createdRanges).containsExactly(child(BOTH));
      assertThat(keys(behind)).containsAll(keys(range)).hasSameSizeAs(keys(range));
    }
  }

  @Test
  void shouldAddAnEmptyReplicaDespiteACrashDuringTheInstallation() throws IOException {
    range.execute(split("m", BOTH));
    createChildState(RangeState.INITIAL_LOG_INDEX + 1);
    range.replica.export(copy);
    ReplicaFixture behind = new ReplicaFixture(second);
    behind.replica.apply(List.of(ReplicaFixture.entry(1, RangeEntry.encodeRegister(), null)));
    for (int writes = 1; writes < 2; writes++) {
      SnapshotInstaller installer = behind.installerFailingAfter(writes);
      assertThatThrownBy(() -> installer.install(copy)).hasMessageContaining("simulated");
      behind.disk.crash(unflushed -> 0);
      behind.reopen();
      assertThat(behind.createdRanges).containsExactly(child(ReplicaSet.ofVoters(B)));
    }
  }

  @Test
  void shouldNotApplyALogToAnEmptyReplicaOfASplitRange() throws IOException {
    KvBatch batch = new KvBatch();
    RangeState.create(
        new RangeDescriptor(ReplicaFixture.ID, KeyInterval.ALL, SECOND_EPOCH, BOTH), batch);
    range.space.write(batch);
    RangeReplica empty = range.reopen();
    assertThatThrownBy(
            () -> empty.apply(List.of(ReplicaFixture.entry(1, RangeEntry.encodeRegister(), null))))
        .hasMessageContaining("must start from a snapshot");
  }
}
