package io.fjordmq.range.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.range.RangeException;
import io.fjordmq.range.RangeResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class RoutedRangeClientTest extends RangeClientFixture {
  // Grouped

  @Test
  void shouldNotReportThatNothingWasSentIfOnePartWas() {
    for (int i = 0; i < 6; i++) {
      mutate("z" + i); // the second range is full
    }
    var responses = client.mutateGrouped(List.of(bytes("a"), bytes("z")), positions -> bytes("p"));
    assertThat(kindOf(responses)).isEqualTo(RangeException.Kind.UNAVAILABLE);
  }

  @Test
  void shouldSendNoPartOfAGroupedCommandIfTheFirstIsRejected() {
    for (int i = 0; i < 6; i++) {
      mutate("a" + i); // the first range is full
    }
    ranges.batches.clear();
    var responses = client.mutateGrouped(List.of(bytes("a"), bytes("z")), positions -> bytes("p"));
    assertThat(kindOf(responses)).isEqualTo(RangeException.Kind.BUSY);
    assertThat(ranges.batches).isEmpty();
  }

  @Test
  void shouldReportAKeyWithoutARange() {
    RoutedRangeClient gappy = client(range(1, "", "m", 1));
    CompletableFuture<byte[]> response = gappy.mutate(bytes("z"), bytes("z1"));
    assertThat(kindOf(response)).isEqualTo(RangeException.Kind.UNAVAILABLE);
  }

  // Queries

  @Test
  void shouldRequireAtLeastTheIndexThatTheClientHasSeen() {
    CompletableFuture<byte[]> before = query("a");
    assertThat(ranges.takeQuery().minIndex()).isZero();
    mutate("a1");
    ranges.takeBatch().apply();
    mutate("a2");
    ranges.takeBatch().apply();
    query("a");
    assertThat(ranges.takeQuery().minIndex()).isEqualTo(2);
    assertThat(before).isNotDone();
  }

  @Test
  void shouldRepeatAQueryUntilTheDeadline() {
    CompletableFuture<byte[]> response = query("a");
    FakeRanges.QueryAttempt first = ranges.takeQuery();
    first.reply().accept(new RangeResult.NotLeader(B));
    timers.advance(Duration.ofMillis(10));
    FakeRanges.QueryAttempt second = ranges.takeQuery();
    assertThat(second.node()).isEqualTo(B);
    timers.advance(Duration.ofMillis(130)); // no reply
    assertThat(ranges.queries).isNotEmpty();
    timers.advance(Duration.ofMillis(1000));
    assertThat(kindOf(response)).isEqualTo(RangeException.Kind.UNAVAILABLE);
  }

  @Test
  void shouldRejectQueriesAsBusyWhenTooManyAreInFlight() {
    query("a");
    query("a");
    assertThat(kindOf(query("a"))).isEqualTo(RangeException.Kind.BUSY);
    ranges.takeQuery().reply().accept(new RangeResult.Success(bytes("x")));
    assertThat(query("a")).isNotDone();
  }

  // Closing

  @Test
  void shouldFailPendingCallsWhenClosed() {
    CompletableFuture<byte[]> inFlight = mutate("a1");
    CompletableFuture<byte[]> waiting = mutate("a2");
    CompletableFuture<byte[]> query = query("a");
    client.close();
    for (CompletableFuture<byte[]> future :
        List.of(inFlight, waiting, query, mutate("a3"), query("a"))) {
      assertThat(kindOf(future)).isEqualTo(RangeException.Kind.CLOSED);
    }
    ranges.takeBatch().apply();
    assertThat(ranges.batches).isEmpty();
  }
}
