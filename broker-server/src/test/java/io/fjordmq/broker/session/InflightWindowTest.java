package io.fjordmq.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** Compares the window with a sorted map of messages in flight. */
class InflightWindowTest {

  @Property(tries = 500)
  void shouldBehaveLikeASortedMap(
      @ForAll @Size(max = 400) List<@IntRange(max = 99) Integer> steps,
      @ForAll @IntRange(min = 1, max = 40) int limit) {
    // Starts just below the sequence at which the packet identifiers wrap around.
    long first = InflightWindow.IDENTIFIERS - 20L;
    InflightWindow window = new InflightWindow(limit, first);
    TreeMap<Long, Boolean> inFlight = new TreeMap<>();
    long next = first;
    for (int step : steps) {
      if (step < 50 && window.canAccept(next)) {
        window.open(next, InflightWindow.AWAITING_PUBACK);
        inFlight.put(next++, true);
      } else if (step < 60) {
        window.skipTo(++next);
      } else if (!inFlight.isEmpty()) {
        List<Long> all = new ArrayList<>(inFlight.keySet());
        long settled = all.get(step % all.size());
        assertThat(window.sequenceOf(InflightWindow.packetIdentifier(settled))).isEqualTo(settled);
        window.settle(settled);
        inFlight.remove(settled);
        assertThat(window.sequenceOf(InflightWindow.packetIdentifier(settled))).isEqualTo(-1);
      }
      assertThat(window.inflight()).isEqualTo(inFlight.size());
      assertThat(inFlight.size()).isLessThanOrEqualTo(limit);
      if (!inFlight.isEmpty()) {
        assertThat(window.base()).isEqualTo(inFlight.firstKey());
      }
    }
  }

  @Test
  void shouldDeriveIdentifiersFromSequences() {
    assertThat(InflightWindow.packetIdentifier(1)).isEqualTo(1);
    assertThat(InflightWindow.packetIdentifier(65_535)).isEqualTo(65_535);
    assertThat(InflightWindow.packetIdentifier(65_536)).isEqualTo(1);
  }

  @Test
  void shouldSpanNoMoreThanTheNumberOfIdentifiers() {
    InflightWindow window = new InflightWindow(100, 1);
    window.open(1, InflightWindow.AWAITING_PUBACK);
    assertThat(window.canAccept(65_535)).isTrue();
    assertThat(window.canAccept(65_536)).isFalse();
  }

  @Test
  void shouldSkipAnyNumberOfDroppedMessagesWhenNothingIsInFlight() {
    InflightWindow window = new InflightWindow(100, 1);
    assertThat(window.canAccept(10_000_000)).isTrue();
    window.open(10_000_000, InflightWindow.AWAITING_PUBACK);
    assertThat(window.base()).isEqualTo(10_000_000);
  }

  @Test
  void shouldContinueWhereAnEarlierConnectionStopped() {
    InflightWindow window = new InflightWindow(100, 5);
    window.restore(6, InflightWindow.AWAITING_PUBCOMP);
    window.restore(7, InflightWindow.SETTLED);
    assertThat(window.settledBeyond(10)).containsExactly(7L);
    window.open(5, InflightWindow.AWAITING_PUBACK);
    window.settle(5);
    assertThat(window.base()).isEqualTo(6);
    window.settle(6);
    assertThat(window.base()).isEqualTo(8);
    assertThat(window.inflight()).isZero();
  }
}
