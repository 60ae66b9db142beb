package io.fjordmq.range.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeResult;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bytes exchanged between nodes of different versions: if one of these tests fails, such nodes no
 * longer understand each other.
 */
class RangeCodecsTest {
  private static final HexFormat HEX = HexFormat.of();
  private static final RangeId RANGE = new RangeId("inbox", 300);

  @Test
  void shouldKeepTheBytesOfAProposal() {
    byte[] bytes = RangeCall.encode(new RangeCall.Propose(RANGE, new byte[] {7, 8}));
    assertThat(HEX.formatHex(bytes)).isEqualTo("0101" + "05696e626f78" + "ac02" + "0708");
    assertThat(RangeCall.decode(bytes))
        .isInstanceOfSatisfying(
            RangeCall.Propose.class,
            call -> {
              assertThat(call.range()).isEqualTo(RANGE);
              assertThat(call.entry()).containsExactly(7, 8);
            });
  }

  @Test
  void shouldKeepTheBytesOfAQuery() {
    byte[] bytes = RangeCall.encode(new RangeCall.Query(RANGE, 2, 1000, new byte[] {9}));
    assertThat(HEX.formatHex(bytes))
        .isEqualTo("0102" + "05696e626f78" + "ac02" + "02" + "e807" + "09");
    assertThat(RangeCall.decode(bytes))
        .isInstanceOfSatisfying(
            RangeCall.Query.class,
            call -> {
              assertThat(call.range()).isEqualTo(RANGE);
              assertThat(call.epochVersion()).isEqualTo(2);
              assertThat(call.minIndex()).isEqualTo(1000);
              assertThat(call.query()).containsExactly(9);
            });
  }

  /** A result and its bytes. */
  private record GoldenBytes(RangeResult result, String hex) {}

  private static List<GoldenBytes> results() {
    RangeDescriptor descriptor =
        new RangeDescriptor(
            new RangeId("d", 1),
            KeyInterval.ALL,
            RangeEpoch.FIRST,
            ReplicaSet.ofVoters(new NodeId("a")));
    return List.of(
        new GoldenBytes(
            new RangeResult.Applied(300, List.of(new byte[] {1, 2}, new byte[0])),
            "0101" + "ac02" + "02" + "020102" + "00"),
        new GoldenBytes(
            new RangeResult.Applied(300, List.of(new byte[] {1, 2}), 2_500),
            "010c" + "c413" + "ac02" + "01" + "020102"),
        new GoldenBytes(new RangeResult.Registered(5), "010205"),
        new GoldenBytes(new RangeResult.Success(new byte[] {1, 2, 3}), "0103010203"),
        new GoldenBytes(new RangeResult.NotLeader(null), "010400"),
        new GoldenBytes(new RangeResult.NotLeader(new NodeId("n2")), "0104026e32"),
        new GoldenBytes(
            new RangeResult.StaleEpoch(List.of(descriptor)),
            "0105"
                + "01"
                + "21"
                + "01"
                + "0164"
                + "0000000000000001"
                + "0000000000000001"
                + "0000000000000001"
                + "00"
                + "00"
                + "010161"
                + "00"),
        new GoldenBytes(new RangeResult.SenderEvicted(), "0106"),
        new GoldenBytes(new RangeResult.OutdatedBatch(), "0107"),
        new GoldenBytes(new RangeResult.Busy("b"), "01080162"),
        new GoldenBytes(new RangeResult.Unavailable("ü"), "010902c3bc"),
        new GoldenBytes(new RangeResult.OutcomeUnknown("o"), "010a016f"),
        new GoldenBytes(new RangeResult.StorageFailed("s"), "010b0173"));
  }

  @ParameterizedTest
  @MethodSource("results")
  void shouldKeepTheBytesOfEveryResult(GoldenBytes golden) {
    byte[] bytes = RangeResultCodec.encode(golden.result());
    assertThat(HEX.formatHex(bytes)).isEqualTo(golden.hex());
    assertThat(RangeResultCodec.decode(bytes))
        .usingRecursiveComparison()
        .isEqualTo(golden.result());
  }

  @Test
  void shouldRejectMessagesOfUnknownVersions() {
    assertThatThrownBy(() -> RangeCall.decode(HEX.parseHex("020100")))
        .isInstanceOf(MalformedBytesException.class)
        .hasMessageContaining("version 2");
    assertThatThrownBy(() -> RangeCall.decode(HEX.parseHex("0103016101")))
        .isInstanceOf(MalformedBytesException.class);
    assertThatThrownBy(() -> RangeResultCodec.decode(HEX.parseHex("010c")))
        .isInstanceOf(MalformedBytesException.class);
    assertThatThrownBy(() -> RangeResultCodec.decode(HEX.parseHex("01060000")))
        .isInstanceOf(MalformedBytesException.class);
  }
}
