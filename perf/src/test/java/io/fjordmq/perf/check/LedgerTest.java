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

/** Planted losses, doubles and changes of order are found, and nothing else is. */
class LedgerTest {
  /** So many of each publisher, all acknowledged. */
  private static SentMessages all(int count) {
    return answered(count, Integer.MAX_VALUE);
  }

  /** So many of each publisher, of which the first few are acknowledged. */
  private static SentMessages answered(int count, int acknowledged) {
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
  void shouldTellWhatWasPromisedFromWhatWasNot() {
    Ledger ledger = SubscriberLedger.of(4, Mix.ALL);
    ledger.accept(4, 0);
    ledger.accept(4, 3);
    assertThat(ledger.missing(answered(6, 2))).isEqualTo(new Missing(1, 3)); // 1; 2, 4 and 5
  }

  @Test
  void shouldNotMissWhatWasSentWhileItsClientWasAway() {
    Ledger ledger = SubscriberLedger.of(4, Mix.ALL);
    ledger.accept(4, 0);
    ledger.accept(4, 2);
    ledger.leave();
    assertThat(ledger.accept(4, 3)).isEqualTo(NEW); // was on its way
    assertThat(ledger.missing(all(9)).lost()).isEqualTo(1);
    assertThat(ledger.accept(4, 6)).isEqualTo(NEW); // before the answer to its SUBSCRIBE
    assertThat(ledger.onReconnected(all(9))).isEqualTo(2); // 7 and 8
    assertThat(ledger.accept(4, 8)).isEqualTo(NEW); // subscribed just before it
    assertThat(ledger.accept(4, 8)).isEqualTo(DUPLICATE);
    assertThat(ledger.accept(4, 10)).isEqualTo(NEW);
    assertThat(ledger.missing(all(12)).lost()).isEqualTo(3); // 1, 9 and 11
  }

  @Test
  void shouldFindNothingWrongWithWhatIsRight() {
    Ledger ledger = new SubscriberLedger(1, 3, 8, Mix.ALL); // publishers 1, 4 and 7
    for (int number = 0; number < 5; number++) {
      for (int publisher : new int[] {7, 1, 4}) {
        assertThat(ledger.accept(publisher, number)).isEqualTo(NEW);
      }
    }
    assertThat(ledger.missing(all(5))).isEqualTo(Missing.NONE);
  }

  @Test
  void shouldFindWhatWasLost() {
    Ledger ledger = SubscriberLedger.of(4, Mix.ALL);
    ledger.accept(4, 0);
    ledger.accept(4, 3);
    assertThat(ledger.missing(all(6)).lost()).isEqualTo(4); // 1, 2, and 4, 5 at the end
  }

  @Test
  void shouldFindWhatCameTwiceAndLateAndToTheWrongOne() {
    Ledger ledger = SubscriberLedger.of(4, Mix.ALL);
    assertThat(ledger.accept(4, 0)).isEqualTo(NEW);
    assertThat(ledger.accept(4, 0)).isEqualTo(DUPLICATE);
    assertThat(ledger.accept(4, 4)).isEqualTo(NEW);
    assertThat(ledger.accept(4, 2)).isEqualTo(OUT_OF_ORDER);
    assertThat(ledger.accept(4, 2)).isEqualTo(DUPLICATE);
    assertThat(ledger.accept(5, 0)).isEqualTo(MISROUTED);
    assertThat(ledger.accept(3, 0)).isEqualTo(MISROUTED);
    assertThat(ledger.missing(all(5)).lost()).isEqualTo(2);
  }

  @Test
  void shouldLetMembersOfASharedSubscriptionTakeTurns() {
    SharedLedger shared = new SharedLedger(100, Mix.ALL);
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
    assertThat(shared.missing(all(6)).lost()).isEqualTo(200); // 2 and 4 of each
  }

  @Test
  void shouldAskForOrderWithinOneQosOnly() {
    Mix mix = new Mix(3); // 2, 5 and 8 are answered
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
  void shouldAgreeWithASet(@ForAll @Size(max = 60) List<@IntRange(max = 30) Integer> numbers) {
    Stream stream = new Stream();
    BitSet seen = new BitSet();
    for (int number : numbers) {
      Stream.Outcome expected =
          seen.get(number)
              ? Stream.Outcome.DUPLICATE
              : seen.length() > number ? Stream.Outcome.LATE : Stream.Outcome.NEW;
      assertThat(stream.accept(number)).isEqualTo(expected);
      seen.set(number);
    }
    assertThat(stream.missing(31, number -> true).lost()).isEqualTo(31 - seen.cardinality());
    assertThat(stream.lowest()).isEqualTo(seen.nextClearBit(0));
  }
}
