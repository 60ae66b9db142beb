package io.fjordmq.perf.check;

import static io.fjordmq.perf.check.Ledger.Entry.DUPLICATE;
import static io.fjordmq.perf.check.Ledger.Entry.MISROUTED;
import static io.fjordmq.perf.check.Ledger.Entry.NEW;
import static io.fjordmq.perf.check.Ledger.Entry.OUT_OF_ORDER;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** Losses, duplicates and reordering are detected, without false positives. */
class LedgerTest {
  /** The given number of messages from each publisher, all acknowledged. */
  private static SentMessages allAcknowledged(int count) {
    return partlyAcknowledged(count, Integer.MAX_VALUE);
  }

  /** Messages from each publisher, of which only the first ones are acknowledged. */
  private static SentMessages partlyAcknowledged(int count, int acknowledged) {
    return new SentMessages() {
      @Override
      public int count(int publisher) {
        return count;
      }

      @Override
      public boolean isAcknowledged(int publisher, int number) {
        return number < acknowledged;
      }
    };
  }

  @Test
  void shouldDistinguishAcknowledgedFromUnacknowledgedMessages() {
    Ledger ledger = SubscriberLedger.of(4, QosMix.ALL);
    ledger.accept(4, 0);
    ledger.accept(4, 3);
    assertThat(ledger.missing(partlyAcknowledged(6, 2)))
        .isEqualTo(new Missing(1, 3)); // 1; 2, 4 and 5
  }

  @Test
  void shouldNotCountMessagesSentWhileDisconnectedAsLost() {
    Ledger ledger = SubscriberLedger.of(4, QosMix.ALL);
    ledger.accept(4, 0);
    ledger.accept(4, 2);
    ledger.onDisconnected();
    assertThat(ledger.accept(4, 3)).isEqualTo(NEW); // was in flight
    assertThat(ledger.missing(allAcknowledged(9)).lost()).isEqualTo(1);
    assertThat(ledger.accept(4, 6)).isEqualTo(NEW); // before the SUBACK
    assertThat(ledger.onReconnected(allAcknowledged(9))).isEqualTo(2); // 7 and 8
    assertThat(ledger.accept(4, 8)).isEqualTo(NEW); // subscribed just before it
    assertThat(ledger.accept(4, 8)).isEqualTo(DUPLICATE);
    assertThat(ledger.accept(4, 10)).isEqualTo(NEW);
    assertThat(ledger.missing(allAcknowledged(12)).lost()).isEqualTo(3); // 1, 9 and 11
  }

  @Test
  void shouldAcceptCompleteOrderedDelivery() {
    Ledger ledger = new SubscriberLedger(1, 3, 8, QosMix.ALL); // publishers 1, 4 and 7
    for (int number = 0; number < 5; number++) {
      for (int publisher : new int[] {7, 1, 4}) {
        assertThat(ledger.accept(publisher, number)).isEqualTo(NEW);
      }
    }
    assertThat(ledger.missing(allAcknowledged(5))).isEqualTo(Missing.NONE);
  }

  @Test
  void shouldDetectLostMessages() {
    Ledger ledger = SubscriberLedger.of(4, QosMix.ALL);
    ledger.accept(4, 0);
    ledger.accept(4, 3);
    assertThat(ledger.missing(allAcknowledged(6)).lost()).isEqualTo(4); // 1, 2, and 4, 5 at the end
  }

  @Test
  void shouldDetectDuplicatedReorderedAndMisroutedMessages() {
    Ledger ledger = SubscriberLedger.of(4, QosMix.ALL);
    assertThat(ledger.accept(4, 0)).isEqualTo(NEW);
    assertThat(ledger.accept(4, 0)).isEqualTo(DUPLICATE);
    assertThat(ledger.accept(4, 4)).isEqualTo(NEW);
    assertThat(ledger.accept(4, 2)).isEqualTo(OUT_OF_ORDER);
    assertThat(ledger.accept(4, 2)).isEqualTo(DUPLICATE);
    assertThat(ledger.accept(5, 0)).isEqualTo(MISROUTED);
    assertThat(ledger.accept(3, 0)).isEqualTo(MISROUTED);
    assertThat(ledger.missing(allAcknowledged(5)).lost()).isEqualTo(2);
  }

  @Test
  void shouldShareOneSequenceAmongMembersOfASharedSubscription() {
    SharedLedger shared = new SharedLedger(100, QosMix.ALL);
    Ledger one = shared.member();
    Ledger other = shared.member();
    for (int publisher = 0; publisher < 100; publisher++) {
      assertThat(one.accept(publisher, 1)).isEqualTo(NEW);
      assertThat(other.accept(publisher, 0)).isEqualTo(NEW);
      assertThat(other.accept(publisher, 1)).isEqualTo(DUPLICATE);
      assertThat(other.accept(publisher, 5)).isEqualTo(NEW);
      assertThat(other.accept(publisher, 3)).isEqualTo(OUT_OF_ORDER);
    }
    assertThat(one.accept(100, 0)).isEqualTo(MISROUTED);
    assertThat(shared.missing(allAcknowledged(6)).lost()).isEqualTo(200); // 2 and 4 of each
  }

  @Test
  void shouldCheckOrderOnlyWithinOneQos() {
    QosMix mix = new QosMix(3); // 2, 5 and 8 are acknowledged
    for (Ledger ledger : List.of(SubscriberLedger.of(4, mix), new SharedLedger(5, mix).member())) {
      assertThat(ledger.accept(4, 2)).isEqualTo(NEW);
      assertThat(ledger.accept(4, 0)).isEqualTo(NEW); // QoS 0 may be slower
      assertThat(ledger.accept(4, 4)).isEqualTo(NEW);
      assertThat(ledger.accept(4, 3)).isEqualTo(OUT_OF_ORDER);
      assertThat(ledger.accept(4, 8)).isEqualTo(NEW);
      assertThat(ledger.accept(4, 5)).isEqualTo(OUT_OF_ORDER);
      assertThat(ledger.accept(4, 5)).isEqualTo(DUPLICATE);
    }
  }

  @Property
  void shouldClassifyMessagesLikeASet(
      @ForAll @Size(max = 60) List<@IntRange(max = 30) Integer> numbers) {
    SequenceTracker stream = new SequenceTracker();
    BitSet seen = new BitSet();
    for (int number : numbers) {
      SequenceTracker.Outcome expected =
          seen.get(number)
              ? SequenceTracker.Outcome.DUPLICATE
              : seen.length() > number ? SequenceTracker.Outcome.LATE : SequenceTracker.Outcome.NEW;
      assertThat(stream.accept(number)).isEqualTo(expected);
      seen.set(number);
    }
    assertThat(stream.missing(31, number -> true).lost()).isEqualTo(31 - seen.cardinality());
    assertThat(stream.lowest()).isEqualTo(seen.nextClearBit(0));
  }
}
