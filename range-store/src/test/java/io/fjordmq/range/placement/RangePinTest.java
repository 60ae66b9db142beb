package io.fjordmq.range.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.range.RangeId;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The records of pins, which all nodes of a cluster must be able to read. */
class RangePinTest {
  private static final HexFormat HEX = HexFormat.of();
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final RangeId RANGE = new RangeId("inbox", 300);

  @Test
  void shouldKeepItsBytes() {
    Change led = RangePin.put(RANGE, new RangePin(Set.of(B, A), B), 7);
    assertThat(led.key()).isEqualTo("range-pin/inbox/300");
    assertThat(led.expectedVersion()).isEqualTo(7);
    assertThat(HEX.formatHex(led.value())).isEqualTo("0102" + "0161" + "0162" + "0162");
    Change free = RangePin.put(RANGE, new RangePin(Set.of(A), null), Change.ABSENT);
    assertThat(HEX.formatHex(free.value())).isEqualTo("0101" + "0161" + "00");
    assertThat(RangePin.remove(RANGE, 8)).isEqualTo(Change.remove("range-pin/inbox/300", 8));
  }

  @Test
  void shouldReadWhatItWrote() {
    for (RangePin pin : List.of(new RangePin(Set.of(A, B), B), new RangePin(Set.of(B), null))) {
      assertThat(RangePin.decode(Objects.requireNonNull(RangePin.put(RANGE, pin, 0).value())))
          .isEqualTo(pin);
    }
    assertThat(RangePin.range("range-pin/inbox/300")).isEqualTo(RANGE);
  }

  @Test
  void shouldRejectOtherBytesAndKeys() {
    for (String bytes :
        List.of("02010161", "0100" + "00", "0101" + "0161" + "0162", "0101", "0101012100")) {
      assertThatThrownBy(() -> RangePin.decode(HEX.parseHex(bytes)))
          .as(bytes)
          .isInstanceOf(MalformedBytesException.class);
    }
    for (String key : List.of("range-pin/inbox", "range-pin/inbox/x", "range-pin/")) {
      assertThatThrownBy(() -> RangePin.range(key))
          .as(key)
          .isInstanceOf(MalformedBytesException.class);
    }
  }
}
