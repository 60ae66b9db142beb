package io.fjordmq.range.comparison;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import io.fjordmq.range.store.HashReport;
import io.fjordmq.range.store.SliceHash;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HashCallsTest {
  private static final HexFormat HEX = HexFormat.of();
  private static final SliceHash ONE = hash(1, 300, null);

  private static SliceHash hash(int fill, long rows, byte @Nullable [] next) {
    byte[] hash = new byte[SliceHash.BYTES];
    Arrays.fill(hash, (byte) fill);
    return new SliceHash(hash, rows, next);
  }

  @Test
  void shouldKeepTheBytesOfResponses() {
    HashReport last = new HashReport.Hashed(ONE);
    assertThat(HEX.formatHex(HashCalls.encode(last)))
        .isEqualTo("0101" + "01".repeat(32) + "ac02" + "00");
    HashReport more = new HashReport.Hashed(hash(2, 1, new byte[] {1, 9}));
    assertThat(HEX.formatHex(HashCalls.encode(more)))
        .isEqualTo("0101" + "02".repeat(32) + "01" + "01" + "020109");
    for (HashReport report : List.of(last, more)) {
      SliceHash decoded = ((HashReport.Hashed) HashCalls.decode(HashCalls.encode(report))).hash();
      assertThat(decoded.matches(((HashReport.Hashed) report).hash())).isTrue();
    }
    assertThat(HEX.formatHex(HashCalls.encode(new HashReport.Pending()))).isEqualTo("0102");
    assertThat(HEX.formatHex(HashCalls.encode(new HashReport.Missing()))).isEqualTo("0103");
    assertThat(HashCalls.decode(new byte[] {1, 2})).isEqualTo(new HashReport.Pending());
    assertThat(HashCalls.decode(new byte[] {1, 3})).isEqualTo(new HashReport.Missing());
  }

  @Test
  void shouldRejectResponsesThatItCannotRead() {
    assertThatThrownBy(() -> HashCalls.decode(new byte[] {2, 2}))
        .isInstanceOf(NewerFormatException.class);
    assertThatThrownBy(() -> HashCalls.decode(new byte[] {1, 4}))
        .isInstanceOf(NewerFormatException.class);
    assertThatThrownBy(() -> HashCalls.decode(new byte[] {1, 2, 0}))
        .isInstanceOf(MalformedBytesException.class);
    byte[] cut = Arrays.copyOf(HashCalls.encode(new HashReport.Hashed(ONE)), 20);
    assertThatThrownBy(() -> HashCalls.decode(cut)).isInstanceOf(MalformedBytesException.class);
  }

  @Test
  void shouldNameThoseThatDifferFromAMajority() {
    SliceHash two = hash(2, 300, null);
    SliceHash three = hash(1, 301, null);
    assertThat(deviating(ONE, ONE, two)).containsExactly(new NodeId("n2"));
    assertThat(deviating(two, ONE, ONE)).containsExactly(new NodeId("n0"));
    assertThat(deviating(two, three, ONE, ONE, ONE))
        .containsExactly(new NodeId("n0"), new NodeId("n1"));
    assertThat(deviating(ONE, two)).isEmpty();
    assertThat(deviating(ONE, two, three)).isEmpty();
    assertThat(deviating(ONE, ONE, two, two)).isEmpty();
  }

  private static List<NodeId> deviating(SliceHash... hashes) {
    Map<NodeId, SliceHash> byNode = new LinkedHashMap<>();
    for (SliceHash hash : hashes) {
      byNode.put(new NodeId("n" + byNode.size()), hash);
    }
    return ReplicaDifference.deviating(byNode);
  }
}
