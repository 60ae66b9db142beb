package io.fjordmq.range.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeDescriptorCodec;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.store.ReplicaStatus;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bytes exchanged between nodes of different versions: if one of these tests fails, such nodes no
 * longer understand each other.
 */
class PlacementCodecsTest {
  private static final int LATEST = 6;
  private static final HexFormat HEX = HexFormat.of();
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final NodeId C = new NodeId("c");
  private static final RangeId RANGE = new RangeId("in", 300);
  private static final ReplicaSet SET = new ReplicaSet(Set.of(B, A), Set.of(C));

  @Test
  void shouldKeepTheBytesOfReports() {
    RangeReports reports =
        new RangeReports(
            200,
            List.of(
                new ReplicaReport(
                    RANGE,
                    new RangeEpoch(1, 2),
                    new KeyInterval(new byte[] {1}, new byte[] {2, 3}),
                    ReplicaStatus.Role.LEADER,
                    7,
                    SET,
                    128,
                    129,
                    null,
                    new ReplicaStatus.Merging(new RangeId("in", 299), 5, true),
                    new RangeLoadReport(
                        3,
                        300,
                        200,
                        612,
                        9_000,
                        300,
                        "split",
                        new KeyInterval(new byte[] {1, 7}, new byte[] {2, 3}),
                        false,
                        false)),
                new ReplicaReport(
                    RANGE,
                    RangeEpoch.FIRST,
                    KeyInterval.ALL,
                    ReplicaStatus.Role.NONE,
                    0,
                    null,
                    5,
                    0,
                    "full",
                    null,
                    null,
                    true)),
            Set.of(new RangeId("in", 2)));
    byte[] bytes = reports.encode();
    assertThat(HEX.formatHex(bytes))
        .isEqualTo(
            "06"
                + "c801"
                + "02"
                + "02696e"
                + "ac02"
                + "0102"
                + "0101"
                + "01"
                + "020203"
                + "00"
                + "07"
                + "8001"
                + "8101"
                + "01"
                + "0201610162"
                + "010163"
                + "00"
                + "00" // not broken
                + "02ab0205" // durably frozen
                + "01" // its load
                + "03"
                + "ac02"
                + "c801"
                + "e404"
                + "a846"
                + "ac02"
                + "0573706c6974"
                + "01"
                + "020107"
                + "02696e"
                + "ac02"
                + "0101"
                + "00"
                + "00"
                + "03"
                + "00"
                + "05"
                + "00"
                + "00"
                + "0466756c6c"
                + "01" // broken
                + "00"
                + "00"
                + "01"
                + "02696e"
                + "02");
    assertThat(RangeReports.decode(bytes)).isEqualTo(reports);
  }

  @Test
  void shouldReadReportsWithoutBrokenReplicas() {
    RangeReports read =
        RangeReports.decode(
            HEX.parseHex(
                "04c80101"
                    + "02696e"
                    + "ac02"
                    + "0102"
                    + "00"
                    + "00"
                    + "03"
                    + "00"
                    + "05"
                    + "00"
                    + "00"
                    + "0466756c6c"
                    + "00"
                    + "00"
                    + "00"));
    assertThat(read.replicas()).singleElement().matches(replica -> !replica.broken());
    assertThat(read.replicas().get(0).failure()).isEqualTo("full");
  }

  @Test
  void shouldReadReportsWithoutKeys() {
    RangeReports read =
        RangeReports.decode(
            HEX.parseHex(
                "0101" + "02696e" + "ac02" + "0102" + "03" + "00" + "05" + "00" + "00" + "00"
                    + "00"));
    assertThat(read.replicas())
        .containsExactly(
            new ReplicaReport(
                RANGE,
                new RangeEpoch(1, 2),
                KeyInterval.ALL,
                ReplicaStatus.Role.NONE,
                0,
                null,
                5,
                0,
                null,
                null,
                null));
  }

  @Test
  void shouldReadReportsWithoutRequests() {
    RangeReports read =
        RangeReports.decode(
            HEX.parseHex(
                "02c80101"
                    + "02696e"
                    + "ac02"
                    + "0102"
                    + "0000"
                    + "03"
                    + "00"
                    + "05"
                    + "00"
                    + "00"
                    + "00"
                    + "00"));
    assertThat(read.metadataVersion()).isEqualTo(200);
    assertThat(read.replicas()).singleElement().extracting(ReplicaReport::load).isNull();
  }

  @Test
  void shouldCountAllRequestsAsWritesIfANodeDoesNotReportWrites() {
    ByteReader in = new ByteReader(HEX.parseHex("04050607" + "04636f6c64" + "00"));
    RangeLoadReport read =
        RangeLoadReport.read(in, KeyInterval.ALL, RangeReports.FORMAT_WITHOUT_WRITES);
    assertThat(read).isEqualTo(new RangeLoadReport(4, 5, 5, 6, 7, "cold", null, false, false));
  }

  @Test
  void shouldTreatAMissingSizeAsUnknown() {
    ByteReader in = new ByteReader(HEX.parseHex("0405030607" + "04636f6c64" + "00"));
    RangeLoadReport read =
        RangeLoadReport.read(in, KeyInterval.ALL, RangeReports.FORMAT_WITHOUT_BYTES);
    assertThat(read).isEqualTo(new RangeLoadReport(4, 5, 3, 6, 7, 0, "cold", null, false, false));
  }

  @Test
  void shouldReadReportsWithoutMerges() {
    RangeReports read =
        RangeReports.decode(
            HEX.parseHex(
                "03c80101"
                    + "02696e"
                    + "ac02"
                    + "0102"
                    + "0000"
                    + "03"
                    + "00"
                    + "05"
                    + "00"
                    + "00"
                    + "00"
                    + "01"
                    + "04050607"
                    + "04636f6c64"
                    + "00"
                    + "00"));
    assertThat(read.replicas())
        .singleElement()
        .satisfies(replica -> assertThat(replica.merging()).isNull())
        .satisfies(replica -> assertThat(replica.load()).isNotNull());
  }

  @Test
  void shouldKeepTheBytesOfALoadReportWithoutASplit() {
    assertThat(encodeLoad(null, true))
        .isEqualTo("04" + "05" + "03" + "06" + "07" + "8002" + "04636f6c64" + "02");
    assertThat(encodeLoad(null, false))
        .isEqualTo("04" + "05" + "03" + "06" + "07" + "8002" + "04636f6c64" + "00");
    ByteReader later = new ByteReader(HEX.parseHex("040503060708" + "04636f6c64" + "04"));
    assertThatThrownBy(() -> RangeLoadReport.read(later, KeyInterval.ALL, LATEST))
        .isInstanceOf(NewerFormatException.class);
    ByteReader outside = new ByteReader(HEX.parseHex("040503060708" + "04636f6c64" + "010105"));
    KeyInterval keys = new KeyInterval(new byte[0], new byte[] {5});
    assertThatThrownBy(() -> RangeLoadReport.read(outside, keys, LATEST))
        .isInstanceOf(MalformedBytesException.class);
  }

  private static String encodeLoad(@Nullable KeyInterval splitOff, boolean merge) {
    RangeLoadReport load = new RangeLoadReport(4, 5, 3, 6, 7, 256, "cold", splitOff, merge, false);
    ByteWriter out = new ByteWriter(16);
    load.write(out);
    byte[] bytes = out.toByteArray();
    assertThat(RangeLoadReport.read(new ByteReader(bytes), KeyInterval.ALL, LATEST))
        .isEqualTo(load);
    return HEX.formatHex(bytes);
  }

  @Test
  void shouldTruncateLongFailureReasons() {
    ReplicaReport halted =
        new ReplicaReport(
            RANGE,
            RangeEpoch.FIRST,
            KeyInterval.ALL,
            ReplicaStatus.Role.NONE,
            0,
            null,
            5,
            0,
            "x".repeat(5000),
            null,
            null);
    RangeReports read =
        RangeReports.decode(new RangeReports(1, List.of(halted), Set.of()).encode());
    assertThat(read.replicas().get(0).failure()).hasSize(300);
  }

  @Test
  void shouldRejectMoreReplicasThanANodeCanHave() {
    ReplicaReport one =
        new ReplicaReport(
            RANGE,
            RangeEpoch.FIRST,
            KeyInterval.ALL,
            ReplicaStatus.Role.NONE,
            0,
            null,
            5,
            0,
            null,
            null,
            null);
    List<ReplicaReport> many = Collections.nCopies(RangeReports.MAX_REPLICAS + 1, one);
    assertThatThrownBy(() -> new RangeReports(1, many, Set.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** An order and its bytes. */
  private record GoldenBytes(PlacementOrder.Task task, String hex) {}

  private static List<GoldenBytes> orders() {
    RangeDescriptor descriptor =
        new RangeDescriptor(RANGE, KeyInterval.ALL, RangeEpoch.FIRST, ReplicaSet.ofVoters(A));
    String range = "02696e" + "ac02";
    byte[] bytes = RangeDescriptorCodec.encode(descriptor);
    String block = "%02x".formatted(bytes.length) + HEX.formatHex(bytes);
    return List.of(
        new GoldenBytes(new PlacementOrder.Report(), "01010905"),
        new GoldenBytes(
            new PlacementOrder.Ensure(descriptor),
            "01020905"
                + "01"
                + "02696e"
                + "000000000000012c"
                + "0000000000000001"
                + "0000000000000001"
                + "00"
                + "00"
                + "010161"
                + "00"),
        new GoldenBytes(
            new PlacementOrder.Change(RANGE, SET, ReplicaSet.ofVoters(A)),
            "01030905" + range + "0201610162" + "010163" + "010161" + "00"),
        new GoldenBytes(new PlacementOrder.Transfer(RANGE, B), "01040905" + range + "0162"),
        new GoldenBytes(new PlacementOrder.Drop(RANGE, 128), "01050905" + range + "8001"),
        new GoldenBytes(new PlacementOrder.Forget(RANGE), "01060905" + range),
        new GoldenBytes(new MergeOrder.Freeze(descriptor, descriptor), "01080905" + block + block),
        new GoldenBytes(
            new MergeOrder.Absorb(descriptor, descriptor, SET),
            "01090905" + block + block + "0201610162" + "010163"),
        new GoldenBytes(new MergeOrder.BumpEpoch(descriptor), "010a0905" + block),
        new GoldenBytes(new MergeOrder.Unfreeze(RANGE), "010b0905" + range),
        new GoldenBytes(
            new MergeOrder.RemoveStaleReplica(
                RANGE, Set.of(new RangeId("in", 7), new RangeId("in", 299))),
            "010c0905" + range + "02" + "07" + "ab02"));
  }

  @Test
  void shouldKeepTheBytesOfAnOrderToSplit() {
    PlacementOrder order =
        new PlacementOrder(9, 5, new PlacementOrder.Split(RANGE, 3, new byte[] {7, 8}, 128));
    byte[] bytes = order.encode();
    assertThat(HEX.formatHex(bytes))
        .isEqualTo("01070905" + "02696e" + "ac02" + "03" + "8001" + "020708");
    PlacementOrder.Split read = (PlacementOrder.Split) PlacementOrder.decode(bytes).task();
    assertThat(read.range()).isEqualTo(RANGE);
    assertThat(read.epochVersion()).isEqualTo(3);
    assertThat(read.key()).containsExactly(7, 8);
    assertThat(read.newNumber()).isEqualTo(128);
  }

  @ParameterizedTest
  @MethodSource("orders")
  void shouldKeepTheBytesOfEveryOrder(GoldenBytes golden) {
    PlacementOrder order = new PlacementOrder(9, 5, golden.task());
    assertThat(HEX.formatHex(order.encode())).isEqualTo(golden.hex());
    assertThat(PlacementOrder.decode(order.encode())).isEqualTo(order);
  }

  @Test
  void shouldRejectMessagesOfUnknownVersions() {
    assertThatThrownBy(() -> PlacementOrder.decode(HEX.parseHex("02010905")))
        .isInstanceOf(MalformedBytesException.class);
    assertThatThrownBy(() -> PlacementOrder.decode(HEX.parseHex("010d0905")))
        .isInstanceOf(MalformedBytesException.class);
    assertThatThrownBy(() -> RangeReports.decode(HEX.parseHex("0700")))
        .isInstanceOf(MalformedBytesException.class);
  }
}
