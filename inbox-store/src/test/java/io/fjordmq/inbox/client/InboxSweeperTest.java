package io.fjordmq.inbox.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.common.ByteWriter;
import io.fjordmq.inbox.InboxLimits;
import io.fjordmq.inbox.InboxObserver;
import io.fjordmq.inbox.InboxState;
import io.fjordmq.inbox.ResponseCodec;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeClient;
import io.fjordmq.range.RangeException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class InboxSweeperTest {
  private final List<CompletableFuture<byte[]>> queries = new ArrayList<>();
  private final List<Boolean> sweeps = new ArrayList<>();
  private int mutations;

  private final RangeClient client =
      new RangeClient() {
        @Override
        public CompletableFuture<byte[]> mutate(byte[] key, byte[] command) {
          mutations++;
          return CompletableFuture.completedFuture(ResponseCodec.of(true));
        }

        @Override
        public CompletableFuture<List<GroupResponse>> mutateGrouped(
            List<byte[]> keys, GroupEncoder encoder) {
          throw new UnsupportedOperationException("not used by the sweeper");
        }

        @Override
        public CompletableFuture<byte[]> query(byte[] key, byte[] query) {
          CompletableFuture<byte[]> response = new CompletableFuture<>();
          queries.add(response);
          return response;
        }

        @Override
        public List<KeyInterval> locate(KeyInterval interval) {
          return List.of(interval);
        }
      };

  private boolean rangesUnknown;

  private final InboxSweeper sweeper =
      new InboxSweeper(
          client,
          () -> {
            if (rangesUnknown) {
              throw new IllegalStateException("a range is halting");
            }
            return List.of(KeyInterval.ALL);
          },
          (node, incarnation) -> true,
          InstantSource.fixed(java.time.Instant.ofEpochMilli(1000)),
          TestInboxes.settings(InboxLimits.DEFAULT),
          new InboxObserver() {
            @Override
            public void onSweep(int ranges, long nanos, boolean succeeded) {
              sweeps.add(succeeded);
            }
          });

  private static byte[] dueAtResponse(long millis) {
    return new ByteWriter(16).writeVarint(millis).writeByte(0).toByteArray();
  }

  private static byte[] countingResponse() {
    return new ByteWriter(16).writeVarint(InboxState.NEVER).writeByte(1).toByteArray();
  }

  @Test
  void shouldCountInboxesUntilAllAreCounted() {
    CompletableFuture<Void> sweep = sweeper.sweep();
    queries.get(0).complete(countingResponse());
    queries.get(1).complete(countingResponse());
    assertThat(sweep).isNotDone();
    queries.get(2).complete(dueAtResponse(InboxState.NEVER));
    assertThat(sweep).isCompleted();
    assertThat(mutations).isEqualTo(2);
  }

  @Test
  void shouldNotStartASweepWhileAnotherIsRunning() {
    sweeper.sweep();
    assertThat(sweeper.sweep()).isCompleted();
    assertThat(queries).hasSize(1);
    queries.get(0).complete(dueAtResponse(InboxState.NEVER));
    sweeper.sweep();
    assertThat(queries).hasSize(2);
  }

  @Test
  void shouldWriteNothingWhenNothingIsDue() {
    CompletableFuture<Void> sweep = sweeper.sweep();
    queries.get(0).complete(dueAtResponse(1001));
    assertThat(sweep).isCompleted();
    assertThat(mutations).isZero();
    assertThat(sweeps).containsExactly(true);
  }

  @Test
  void shouldLeaveRemainingWorkToTheNextSweep() {
    CompletableFuture<Void> sweep = sweeper.sweep();
    queries.get(0).complete(dueAtResponse(1000));
    assertThat(sweep).isCompleted();
    assertThat(mutations).isEqualTo(100);
  }

  @Test
  void shouldRetryAtTheNextSweepIfTheRangesAreUnknown() {
    rangesUnknown = true;
    assertThat(sweeper.sweep()).isCompletedWithValue(null);
    assertThat(sweeps).containsExactly(false);
    rangesUnknown = false;
    sweeper.sweep();
    assertThat(queries).hasSize(1);
  }

  @Test
  void shouldReportAFailureAndRetryAtTheNextSweep() {
    CompletableFuture<Void> sweep = sweeper.sweep();
    queries
        .get(0)
        .completeExceptionally(new RangeException(RangeException.Kind.UNAVAILABLE, "no leader"));
    assertThat(sweep).isCompletedWithValue(null);
    assertThat(sweeps).containsExactly(false);
    sweeper.sweep();
    assertThat(queries).hasSize(2);
  }
}
