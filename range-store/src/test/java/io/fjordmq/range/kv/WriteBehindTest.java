package io.fjordmq.range.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Tests only what is specific to write-behind; {@link WriteSetPropertyTest} checks that it reads
 * like any space.
 */
class WriteBehindTest {
  private final SimKv.Disk disk = new SimKv.Disk();
  private final CountingSpace underlying =
      new CountingSpace(new SimKv(disk, Runnable::run).space("words"));
  private final WriteBehind space = new WriteBehind(underlying, 1_000);

  /** Counts the changes that are written to it. */
  private static final class CountingSpace implements KvSpace {
    private final KvSpace space;
    private int changes;

    CountingSpace(KvSpace space) {
      this.space = space;
    }

    @Override
    public String name() {
      return space.name();
    }

    @Override
    public KvReader latest() {
      return space.latest();
    }

    @Override
    public KvSnapshot snapshot() {
      return space.snapshot();
    }

    @Override
    public long approximateBytes(byte[] from, byte[] to) {
      return space.approximateBytes(from, to);
    }

    @Override
    public void write(KvBatch batch) {
      changes += batch.size();
      space.write(batch);
    }
  }

  @Test
  void shouldNeverWriteRowsThatWereInsertedAndDeleted() {
    KvBatch batch = new KvBatch();
    batch.insert(KvContract.bytes("a"), KvContract.bytes("1"));
    batch.put(KvContract.bytes("kept"), KvContract.bytes("2"));
    space.write(batch);
    assertThat(all(space)).containsExactly("a=1", "kept=2");
    batch.clear();
    batch.delete(KvContract.bytes("a"));
    space.write(batch);
    space.writeOut();
    assertThat(all(underlying)).containsExactly("kept=2");
    assertThat(underlying.changes).isEqualTo(1);
  }

  @Test
  void shouldDeleteEarlierRowsOfTheUnderlyingSpace() {
    write("a", "1");
    space.writeOut();
    KvBatch batch = new KvBatch();
    batch.delete(KvContract.bytes("a"));
    batch.insert(KvContract.bytes("a"), KvContract.bytes("2"));
    batch.delete(KvContract.bytes("a"));
    space.write(batch);
    space.writeOut();
    assertThat(all(underlying)).isEmpty();
  }

  @Test
  void shouldKeepTheBufferWithinItsLimit() {
    for (int i = 0; i < 100; i++) {
      write("key" + i, "x".repeat(50));
      assertThat(space.unwrittenBytes()).isLessThanOrEqualTo(1_000);
    }
    assertThat(all(space)).hasSize(100);
    assertThat(all(underlying)).hasSizeGreaterThan(90);
  }

  @Test
  void shouldWriteOutBeforeASnapshot() {
    write("a", "1");
    assertThat(all(underlying)).isEmpty();
    try (KvSnapshot snapshot = space.snapshot()) {
      write("b", "2");
      assertThat(KvContract.scan(snapshot, "", null)).containsExactly("a=1");
    }
  }

  @Test
  void shouldKeepTheBufferWhenWritingFails() {
    write("a", "1");
    disk.failWith(new KvException(KvException.Kind.DISK_FULL, "full"));
    assertThatThrownBy(space::writeOut).isInstanceOf(KvException.class);
    assertThatThrownBy(space::snapshot).isInstanceOf(KvException.class);
    assertThat(all(space)).containsExactly("a=1");
    disk.failWith(null);
    space.writeOut();
    assertThat(all(underlying)).containsExactly("a=1");
  }

  private void write(String key, String value) {
    KvBatch batch = new KvBatch();
    batch.put(KvContract.bytes(key), KvContract.bytes(value));
    space.write(batch);
  }

  private static List<String> all(KvSpace space) {
    return KvContract.scan(space.latest(), "", null);
  }
}
