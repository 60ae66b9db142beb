package io.fjordmq.range.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.SnapshotRefusedException;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.kv.KvBatch;
import io.fjordmq.range.kv.KvException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplicaSnapshotTest {
  @TempDir Path first;
  @TempDir Path second;
  @TempDir Path copy;
  private ReplicaFixture ahead;
  private ReplicaFixture behind;

  @BeforeEach
  void createTwoReplicas() throws IOException {
    ahead = new ReplicaFixture(first);
    ahead.replica.onLeaderStart(1);
    behind = new ReplicaFixture(second);
    behind.replica.onLeaderStart(1);
    long sender = ahead.register();
    ahead.execute(ReplicaFixture.mutations(sender, 1, "a:1", "b:2"));
    ahead.execute(ReplicaFixture.mutations(sender, 2, "a:" + "x".repeat(3000)));
    behind.register();
    behind.execute(ReplicaFixture.mutations(1, 1, "old:gone"));
  }

  @Test
  void shouldReplaceAllRowsIncludingThoseOfSenders() throws IOException {
    long index = ahead.replica.export(copy);
    assertThat(index).isEqualTo(3);
    behind.replica.install(copy);
    assertThat(rows(behind)).isEqualTo(rows(ahead));
    assertThat(behind.replica.appliedIndex()).isEqualTo(3);
    assertThat(behind.value("old")).isEmpty();
    assertThat(behind.value("b")).isEqualTo("2");
    // A batch that only the sender of the snapshot had applied is recognized as a duplicate on this
    // node as well.
    byte[] repeated = ReplicaFixture.mutations(1, 2, "a:again");
    behind.replica.apply(List.of(ReplicaFixture.entry(4, repeated, null)));
    assertThat(behind.value("a")).startsWith("1 xxx").doesNotContain("again");
  }

  @Test
  void shouldBeDurableWhenInstalled() throws IOException {
    ahead.replica.export(copy);
    behind.replica.install(copy);
    behind.disk.crash(unflushed -> 0);
    assertThat(behind.reopen().appliedIndex()).isEqualTo(3);
    assertThat(rows(behind)).isEqualTo(rows(ahead));
  }

  @Test
  void shouldFinishAnInterruptedInstallationAtTheNextStart() throws IOException {
    ahead.replica.export(copy);
    // The marker is flushed, then the disk fails at the first write of rows.
    SnapshotInstaller installer = behind.installerFailingAfter(1);
    assertThatThrownBy(() -> installer.install(copy)).isInstanceOf(KvException.class);
    behind.disk.crash(unflushed -> 0);
    Files.delete(copy.resolve(ReplicaSnapshot.FILE)); // the received file is gone
    assertThat(behind.reopen().appliedIndex()).isEqualTo(3);
    assertThat(rows(behind)).isEqualTo(rows(ahead));
    try (var left = Files.list(second)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void shouldRejectADamagedSnapshotAndKeepItsRows() throws IOException {
    ahead.replica.export(copy);
    Path file = copy.resolve(ReplicaSnapshot.FILE);
    List<String> before = rows(behind);
    byte[] good = Files.readAllBytes(file);
    for (int at : new int[] {0, 4, 7, 11, 20, good.length / 2, good.length - 1}) {
      byte[] bad = good.clone();
      bad[at] ^= 0x10;
      Files.write(file, bad);
      assertThatThrownBy(() -> behind.replica.install(copy))
          .isInstanceOf(SnapshotRefusedException.class);
    }
    Files.write(file, Arrays.copyOf(good, good.length - 9));
    assertThatThrownBy(() -> behind.replica.install(copy))
        .isInstanceOf(SnapshotRefusedException.class);
    assertThat(rows(behind)).isEqualTo(before);
  }

  @Test
  void shouldRejectASnapshotThatOverlapsAnotherReplica() throws IOException {
    ahead.replica.export(copy);
    KvBatch batch = new KvBatch();
    RangeState.create(
        new RangeDescriptor(
            new RangeId("words", 2),
            new KeyInterval("m".getBytes(UTF_8), "n".getBytes(UTF_8)),
            RangeEpoch.FIRST,
            ReplicaSet.ofVoters(new NodeId("a"))),
        batch);
    behind.space.write(batch);
    assertThatThrownBy(() -> behind.replica.install(copy)).hasMessageContaining("words-2");
  }

  @Test
  void shouldKeepTheBytesOfARowFile() throws IOException {
    Path file = copy.resolve("rows");
    try (RowFile.Writer writer = RowFile.write(file)) {
      writer.add(new byte[] {1}, new byte[] {2, 3});
      writer.finish();
    }
    assertThat(HexFormat.of().formatHex(Files.readAllBytes(file)))
        .isEqualTo(
            "464a5252"
                + "02"
                + "00000005"
                + crcOf("01" + "01" + "02" + "0203")
                + "01"
                + "01"
                + "02"
                + "0203"
                + "00000000"
                + "0000000000000001");
  }

  private static String crcOf(String hex) {
    CRC32C crc = new CRC32C();
    crc.update(HexFormat.of().parseHex(hex));
    return HexFormat.of().toHexDigits((int) crc.getValue());
  }

  private static List<String> rows(ReplicaFixture range) {
    HexFormat hex = HexFormat.of();
    List<String> rows = new ArrayList<>();
    range
        .space
        .latest()
        .scan(
            new byte[0],
            null,
            (key, value) -> rows.add(hex.formatHex(key) + "=" + hex.formatHex(value)));
    return rows;
  }

  /**
   * Otherwise two remaining replicas, one of which lags too far behind, could never elect a leader.
   */
  @Test
  void shouldExportASnapshotBeforeItLeads() throws IOException {
    ahead.replica.onLeaderStop();
    ahead.replica.export(copy);
    behind.replica.install(copy);
    assertThat(rows(behind)).isEqualTo(rows(ahead));
  }

  /**
   * If the process died before the group was notified; a frozen range accepts no other snapshot.
   */
  @Test
  void shouldAcceptTheSameSnapshotAgain() throws IOException {
    KvBatch batch = new KvBatch();
    batch.put(
        new RangeKeys(ReplicaFixture.ID.number()).frozen(), new FreezeRecord(9, 1, 20, 0).encode());
    ahead.space.write(batch);
    ahead.replica.export(copy);
    behind.replica.install(copy);
    behind.reopen().install(copy);
    assertThat(rows(behind)).isEqualTo(rows(ahead));
  }
}
