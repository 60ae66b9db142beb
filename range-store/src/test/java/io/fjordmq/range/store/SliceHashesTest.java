package io.fjordmq.range.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.SupportedLevels;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.kv.KvBatch;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A replica hashes a slice of its rows as of the entry that asks for it. */
class SliceHashesTest {
  private static final byte[] BEGIN = new byte[0];
  private static final int ALL = 1 << 20;

  @TempDir Path directory;
  private ReplicaFixture range;
  private long sender;
  private int batches;

  @BeforeEach
  void lead() throws IOException {
    range = fixture("one");
    sender = range.register();
  }

  private ReplicaFixture fixture(String name) throws IOException {
    ReplicaFixture created = new ReplicaFixture(directory.resolve(name));
    created.currentLevel = RangeEntry.COMPARE_LEVEL;
    created.supported = new SupportedLevels(1, RangeEntry.COMPARE_LEVEL);
    created.reopen().onLeaderStart(1);
    return created;
  }

  private void write(String... commands) {
    range.execute(ReplicaFixture.mutations(sender, ++batches, commands));
  }

  private long compare(int maxBytes, byte[] from) {
    RangeResult result = range.execute(RangeEntry.encodeCompare(1, maxBytes, from));
    return ((RangeResult.Applied) result).index();
  }

  private SliceHash hashAt(long index) {
    range.clock.advance(Duration.ofMinutes(1));
    HashReport report = range.sliceHashes.find(ReplicaFixture.ID, index);
    assertThat(report).isInstanceOf(HashReport.Hashed.class);
    return ((HashReport.Hashed) report).hash();
  }

  @Test
  void shouldGetTheSameHashFromTheSameEntriesOnly() throws IOException {
    write("a:1", "b:2");
    SliceHash hash = hashAt(compare(ALL, BEGIN));
    assertThat(hash.next()).isNull();
    assertThat(hash.rows()).as("descriptor, progress, sender, a, b").isEqualTo(5);

    ReplicaFixture first = range;
    range = fixture("two");
    sender = range.register();
    batches = 0;
    write("a:1", "b:2");
    long index = compare(ALL, BEGIN);
    range.clock.advance(first.clock.nowMillis() == 0 ? Duration.ZERO : Duration.ofMillis(1));
    assertThat(hashAt(index).matches(hash)).isTrue();

    KvBatch batch = new KvBatch();
    batch.put(RangeKeys.data("b".getBytes(UTF_8)), "3".getBytes(UTF_8));
    range.space.write(batch);
    ReplicaFixture damaged = range;
    range = first;
    SliceHash right = hashAt(compare(ALL, BEGIN));
    range = damaged;
    SliceHash wrong = hashAt(compare(ALL, BEGIN));
    assertThat(wrong.rows()).isEqualTo(right.rows());
    assertThat(wrong.matches(right)).isFalse();
  }

  @Test
  void shouldHashTheRowsAsOfItsEntryEvenIfLaterOnesAreAppliedWithIt() {
    write("a:1");
    byte[] later = ReplicaFixture.mutations(sender, ++batches, "a:2", "b:1");
    List<RangeResult> compared = range.propose(RangeEntry.encodeCompare(1, ALL, BEGIN));
    range.propose(later);
    range.commitAll();
    long index = ((RangeResult.Applied) compared.get(0)).index();
    assertThat(hashAt(index).rows()).as("without b").isEqualTo(4);
    assertThat(range.value("b")).isEqualTo("1");
    assertThat(range.replica.appliedIndex()).isEqualTo(index + 1);
  }

  @Test
  void shouldCoverAllRowsWithSlicesThatFollowEachOther() {
    List<String> commands = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      commands.add("key%02d:%s".formatted(i, "word".repeat(i)));
    }
    commands.forEach(this::write);
    long all = hashAt(compare(ALL, BEGIN)).rows();
    assertThat(all).isEqualTo(3 + 50);

    long rows = 0;
    int slices = 0;
    byte[] from = BEGIN;
    while (from != null) {
      SliceHash slice = hashAt(compare(500, from));
      rows += slice.rows();
      slices++;
      from = slice.next();
    }
    assertThat(rows).isEqualTo(all);
    assertThat(slices).isBetween(5, 20);
  }

  @Test
  void shouldLeaveOutRowsThatConcernThisReplicaOnly() {
    RangeKeys keys = new RangeKeys(ReplicaFixture.ID.number());
    assertThat(keys.isLocal(keys.removing())).isTrue();
    assertThat(keys.isLocal(keys.installing())).isTrue();
    assertThat(keys.isLocal(keys.progress())).isFalse();
    assertThat(keys.isLocal(new RangeKeys(7).removing())).isFalse();
    assertThat(keys.isLocal(RangeKeys.data(keys.removing()))).isFalse();
  }

  @Test
  void shouldNotHashAReplicaThatIsBeingRemoved() {
    KvBatch batch = new KvBatch();
    batch.put(new RangeKeys(ReplicaFixture.ID.number()).removing(), new byte[] {1});
    range.space.write(batch);
    long index = compare(ALL, BEGIN);
    range.clock.advance(Duration.ofMinutes(1));
    assertThat(range.sliceHashes.find(ReplicaFixture.ID, index))
        .isInstanceOf(HashReport.Missing.class);
  }

  @Test
  void shouldNotHashForAnotherEpochOrAFrozenRange() {
    assertThat(range.execute(RangeEntry.encodeCompare(2, ALL, BEGIN)))
        .isInstanceOf(RangeResult.StaleEpoch.class);
    range.execute(RangeEntry.encodeFreeze(1, 9, 1));
    assertThat(range.execute(RangeEntry.encodeCompare(1, ALL, BEGIN)))
        .isInstanceOf(RangeResult.Busy.class);
    range.clock.advance(Duration.ofMinutes(1));
    assertThat(range.sliceHashes.find(ReplicaFixture.ID, range.replica.appliedIndex()))
        .isInstanceOf(HashReport.Missing.class);
  }

  @Test
  void shouldReadNoFasterThanTheLimit() {
    for (int i = 0; i < 100; i++) {
      write("key" + i + ":" + "x".repeat(3_000));
    }
    long index = compare(ALL, BEGIN);
    assertThat(range.sliceHashes.find(ReplicaFixture.ID, index))
        .isInstanceOf(HashReport.Pending.class);
    range.clock.advance(Duration.ofMillis(200)); // 300 KB at 1 MiB/s
    assertThat(range.sliceHashes.find(ReplicaFixture.ID, index))
        .isInstanceOf(HashReport.Pending.class);
    assertThat(hashAt(index).rows()).isEqualTo(103);
  }

  @Test
  void shouldSkipSlicesBeyondTheLimit() {
    for (int i = 0; i < 100; i++) {
      write("key" + i + ":" + "x".repeat(3_000));
    }
    List<Long> indexes = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      indexes.add(compare(ALL, BEGIN));
    }
    assertThat(range.sliceHashes.find(ReplicaFixture.ID, indexes.get(16)))
        .isInstanceOf(HashReport.Pending.class);
    assertThat(range.sliceHashes.find(ReplicaFixture.ID, indexes.get(17)))
        .isInstanceOf(HashReport.Missing.class);
    range.sliceHashes.close();
    assertThat(range.sliceHashes.find(ReplicaFixture.ID, indexes.get(16)))
        .isInstanceOf(HashReport.Missing.class);
  }
}
