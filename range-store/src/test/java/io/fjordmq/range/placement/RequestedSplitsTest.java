package io.fjordmq.range.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.range.RangeId;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class RequestedSplitsTest {
  private static final RangeId RANGE = new RangeId("words", 1);
  private static final RangeId OTHER = new RangeId("words", 2);
  private static final NodeId A = new NodeId("a");

  private final RequestedSplits splits = new RequestedSplits();
  private final byte[] key = {1};

  private static Step.Split step(RangeId range, byte[] key) {
    return new Step.Split(range, A, 1, key);
  }

  @Test
  void shouldCompleteRequestsWithTheirOutcome() {
    CompletableFuture<Void> done = splits.add(RANGE, key);
    CompletableFuture<Void> failing = splits.add(OTHER, key);
    assertThat(splits.keys()).containsOnlyKeys(RANGE, OTHER);
    splits.onStepFinished(step(RANGE, key), null);
    splits.onStepFinished(step(OTHER, key), new IllegalStateException("no"));
    assertThat(done).isCompleted();
    assertThat(failing).isCompletedExceptionally();
    assertThat(splits.keys()).isEmpty();
  }

  @Test
  void shouldKeepALaterRequestForTheSameRange() {
    CompletableFuture<Void> first = splits.add(RANGE, key);
    byte[] other = {2};
    CompletableFuture<Void> second = splits.add(RANGE, other);
    assertThat(first).isCompletedExceptionally();
    splits.onStepFinished(step(RANGE, key), null); // was in progress
    assertThat(second).isNotDone();
    assertThat(splits.keys().get(RANGE)).isSameAs(other);
  }

  @Test
  void shouldFailRequestsThatCannotBeCarriedOut() {
    CompletableFuture<Void> unknown = splits.add(OTHER, key);
    CompletableFuture<Void> known = splits.add(RANGE, key);
    splits.keepOnly(Set.of(RANGE));
    assertThat(unknown).isCompletedExceptionally();
    assertThat(known).isNotDone();
    splits.abandonAll("closing");
    assertThat(known).isCompletedExceptionally();
  }
}
