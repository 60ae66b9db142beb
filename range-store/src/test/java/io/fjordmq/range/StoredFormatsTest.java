package io.fjordmq.range;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.common.MalformedBytesException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Stored bytes on disk and in logs: if one of these tests fails, nodes of different versions cannot
 * read each other's data.
 */
class StoredFormatsTest {
  private static final HexFormat HEX = HexFormat.of();

  private static String compact(String drawn) {
    return drawn.replaceAll("\\s+", "");
  }

  @Test
  void shouldKeepTheBytesOfADescriptor() {
    RangeDescriptor descriptor =
        new RangeDescriptor(
            new RangeId("inbox", 7),
            new KeyInterval(new byte[] {1}, new byte[] {2, 3}),
            new RangeEpoch(4, 5),
            new ReplicaSet(Set.of(new NodeId("b"), new NodeId("a")), Set.of(new NodeId("c"))));
    byte[] bytes = RangeDescriptorCodec.encode(descriptor);
    assertThat(HEX.formatHex(bytes))
        .isEqualTo(
            compact(
                """
                01
                05 696e626f78
                0000000000000007
                0000000000000004 0000000000000005
                01 01
                01 02 0203
                02 01 61 01 62
                01 01 63
                """));
    assertThat(RangeDescriptorCodec.decode(bytes)).isEqualTo(descriptor);
  }

  @Test
  void shouldKeepTheBytesOfADescriptorWithoutEnd() {
    RangeDescriptor descriptor =
        new RangeDescriptor(
            new RangeId("dist", 1),
            KeyInterval.ALL,
            RangeEpoch.FIRST,
            ReplicaSet.ofVoters(new NodeId("a")));
    assertThat(RangeDescriptorCodec.decode(RangeDescriptorCodec.encode(descriptor)))
        .isEqualTo(descriptor);
  }

  @Test
  void shouldKeepTheBytesOfMutations() {
    byte[] entry =
        RangeEntry.encodeMutations(2, 3, 4, 300, List.of(new byte[] {9}, new byte[] {8, 7}));
    RangeEntry.stamp(entry, 5, 1, 6);
    assertThat(HEX.formatHex(entry))
        .isEqualTo(
            compact(
                """
                01 08 0000000000000005
                0000000000000002 0000000000000003 0000000000000004
                ac02
                02 01 09 02 0807
                """));
    assertThat(RangeEntry.isRangeChange(ByteBuffer.wrap(entry))).isFalse();
    RangeEntry.Mutations decoded = (RangeEntry.Mutations) RangeEntry.decode(ByteBuffer.wrap(entry));
    assertThat(decoded)
        .isEqualTo(
            new RangeEntry.Mutations(
                5,
                2,
                3,
                4,
                300,
                List.of(ByteBuffer.wrap(new byte[] {9}), ByteBuffer.wrap(new byte[] {8, 7}))));
  }

  @Test
  void shouldMarkABatchAsDeferrableUntilTheLeaderStampsIt() {
    byte[] entry = RangeEntry.encodeMutations(2, 3, 4, 300, List.of(new byte[] {9}));
    assertThat(RangeEntry.isDeferrable(entry)).isFalse();
    RangeEntry.markDeferrable(entry);
    assertThat(HEX.formatHex(entry)).startsWith("01080000000000000002");
    assertThat(RangeEntry.isDeferrable(entry)).isTrue();
    assertThat(RangeEntry.isPaced(entry)).isTrue();
    RangeEntry.stamp(entry, 5, 1, 6);
    assertThat(RangeEntry.isDeferrable(entry)).isFalse();
    assertThat(RangeEntry.isPaced(entry)).isFalse();
    assertThat(RangeEntry.decode(ByteBuffer.wrap(entry)).clockMillis()).isEqualTo(5);
  }

  @Test
  void shouldStampALevelAboveTheFirst() {
    byte[] entry = RangeEntry.encodeMutations(2, 3, 4, 300, List.of(new byte[] {9}));
    assertThat(RangeEntry.levelOf(ByteBuffer.wrap(entry))).isEqualTo(1);
    RangeEntry.stamp(entry, 5, 0xfffe, 6);
    assertThat(HEX.formatHex(entry)).startsWith("0208" + "fffe" + "000000000005");
    assertThat(RangeEntry.levelOf(ByteBuffer.wrap(entry))).isEqualTo(0xfffe);
    assertThat(RangeEntry.decode(ByteBuffer.wrap(entry)).clockMillis()).isEqualTo(5);

    RangeEntry.stamp(entry, RangeEntry.MAX_CLOCK_WITH_LEVEL, 2, 6);
    assertThat(HEX.formatHex(entry)).startsWith("0208" + "0002" + "ffffffffffff");
    assertThat(RangeEntry.decode(ByteBuffer.wrap(entry)).clockMillis())
        .isEqualTo(RangeEntry.MAX_CLOCK_WITH_LEVEL);
    assertThatThrownBy(() -> RangeEntry.stamp(entry, RangeEntry.MAX_CLOCK_WITH_LEVEL + 1, 2, 6))
        .isInstanceOf(IllegalArgumentException.class);

    // a leader that does not know of the raise yet gets the batch again
    RangeEntry.stamp(entry, 5, 1, 6);
    assertThat(HEX.formatHex(entry)).startsWith("0108" + "0000000000000005");
  }

  @Test
  void shouldNotDeferAnyOtherEntry() {
    assertThat(RangeEntry.isDeferrable(RangeEntry.encodeRegister())).isFalse();
    assertThat(RangeEntry.isDeferrable(new byte[3])).isFalse();
  }

  @Test
  void shouldReadMutationsWithoutAResponseLimit() {
    byte[] entry =
        HEX.parseHex(
            compact(
                """
                01 01 0000000000000005
                0000000000000002 0000000000000003 0000000000000004
                01 01 09
                """));
    assertThat(RangeEntry.decode(ByteBuffer.wrap(entry)))
        .isEqualTo(
            new RangeEntry.Mutations(
                5, 2, 3, 4, Integer.MAX_VALUE, List.of(ByteBuffer.wrap(new byte[] {9}))));
    assertThat(RangeEntry.isRangeChange(ByteBuffer.wrap(entry))).isFalse();
  }

  @Test
  void shouldKeepTheBytesOfARegistration() {
    byte[] entry = RangeEntry.encodeRegister();
    RangeEntry.stamp(entry, 5, 1, 6);
    assertThat(HEX.formatHex(entry))
        .isEqualTo("01" + "02" + "0000000000000005" + "0000000000000006");
    assertThat(RangeEntry.decode(ByteBuffer.wrap(entry))).isEqualTo(new RangeEntry.Register(5, 6));
  }

  @Test
  void shouldKeepTheBytesOfAClockReset() {
    byte[] entry = RangeEntry.encodeResetClock(2);
    RangeEntry.stamp(entry, 5, 1, 6);
    assertThat(HEX.formatHex(entry))
        .isEqualTo("01" + "09" + "0000000000000005" + "0000000000000002");
    assertThat(RangeEntry.decode(ByteBuffer.wrap(entry)))
        .isEqualTo(new RangeEntry.ResetClock(5, 2));
    assertThat(RangeEntry.isRangeChange(ByteBuffer.wrap(entry))).isFalse();
  }

  @Test
  void shouldKeepTheBytesOfAComparison() {
    byte[] entry = RangeEntry.encodeCompare(2, 300, new byte[] {1, 9});
    RangeEntry.stamp(entry, 5, RangeEntry.COMPARE_LEVEL, 6);
    assertThat(HEX.formatHex(entry))
        .isEqualTo(
            compact(
                """
                02 0a 0002 000000000005
                0000000000000002
                ac02
                02 0109
                """));
    RangeEntry.Compare decoded = (RangeEntry.Compare) RangeEntry.decode(ByteBuffer.wrap(entry));
    assertThat(decoded.clockMillis()).isEqualTo(5);
    assertThat(decoded.epochVersion()).isEqualTo(2);
    assertThat(decoded.maxBytes()).isEqualTo(300);
    assertThat(decoded.from()).containsExactly(1, 9);
    assertThat(RangeEntry.isRangeChange(ByteBuffer.wrap(entry))).isFalse();
    assertThat(RangeEntry.isDeferrable(entry)).isFalse();
  }

  @Test
  void shouldKeepTheBytesOfASplit() {
    ReplicaSet replicas = new ReplicaSet(Set.of(new NodeId("b"), new NodeId("a")), Set.of());
    byte[] entry = RangeEntry.encodeSplit(2, 3, new byte[] {9, 8}, replicas);
    RangeEntry.stamp(entry, 5, 1, 6);
    assertThat(HEX.formatHex(entry))
        .isEqualTo(
            compact(
                """
                01 03 0000000000000005
                0000000000000002 0000000000000003
                02 0908
                02 01 61 01 62 00
                """));
    assertThat(RangeEntry.isRangeChange(ByteBuffer.wrap(entry))).isTrue();
    RangeEntry.Split decoded = (RangeEntry.Split) RangeEntry.decode(ByteBuffer.wrap(entry));
    assertThat(decoded.clockMillis()).isEqualTo(5);
    assertThat(decoded.epochVersion()).isEqualTo(2);
    assertThat(decoded.number()).isEqualTo(3);
    assertThat(decoded.key()).containsExactly(9, 8);
    assertThat(decoded.replicas()).isEqualTo(replicas);
  }

  @Test
  void shouldKeepTheBytesOfTheStepsOfAMerge() {
    assertThat(read(RangeEntry.encodeFreeze(2, 3, 4), "01 04 0000000000000005", 2, 3, 4))
        .isEqualTo(new RangeEntry.Freeze(5, 2, 3, 4));
    assertThat(read(RangeEntry.encodeAbsorb(2, 3, 4), "01 05 0000000000000005", 2, 3, 4))
        .isEqualTo(new RangeEntry.Absorb(5, 2, 3, 4));
    assertThat(read(RangeEntry.encodeBumpEpoch(2), "01 06 0000000000000005", 2))
        .isEqualTo(new RangeEntry.BumpEpoch(5, 2));
    assertThat(read(RangeEntry.encodeUnfreeze(2), "01 07 0000000000000005", 2))
        .isEqualTo(new RangeEntry.Unfreeze(5, 2));
  }

  private static RangeEntry read(byte[] entry, String begin, long... fields) {
    RangeEntry.stamp(entry, 5, 1, 6);
    StringBuilder expected = new StringBuilder(compact(begin));
    for (long field : fields) {
      expected.append("%016x".formatted(field));
    }
    assertThat(HEX.formatHex(entry)).isEqualTo(expected.toString());
    assertThat(RangeEntry.isRangeChange(ByteBuffer.wrap(entry))).isTrue();
    return RangeEntry.decode(ByteBuffer.wrap(entry));
  }

  @Test
  void shouldRejectDamagedBytesWithoutReadingBeyondThem() {
    byte[] entry = RangeEntry.encodeMutations(2, 3, 4, 300, List.of(new byte[] {9}));
    for (int length = 0; length < entry.length; length++) {
      ByteBuffer cut = ByteBuffer.wrap(Arrays.copyOf(entry, length));
      assertThatThrownBy(() -> RangeEntry.decode(cut)).isInstanceOf(MalformedBytesException.class);
    }
    ByteBuffer longer = ByteBuffer.wrap(Arrays.copyOf(entry, entry.length + 1));
    assertThatThrownBy(() -> RangeEntry.decode(longer)).isInstanceOf(MalformedBytesException.class);
    entry[0] = 99;
    assertThatThrownBy(() -> RangeEntry.decode(ByteBuffer.wrap(entry)))
        .isInstanceOf(MalformedBytesException.class)
        .hasMessageContaining("version 99");
    assertThatThrownBy(() -> RangeEntry.stamp(new byte[3], 1, 1, 1))
        .isInstanceOf(MalformedBytesException.class);
  }
}
