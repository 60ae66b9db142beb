package io.fjordmq.range.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.range.RangeId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ReplicaHoldsTest {
  private static final RangeId RANGE = new RangeId("words", 1);
  private static final ReplicaChange REMOVAL =
      new ReplicaChange("removing the replica on node a", null);
  private static final ReplicaChange REPLACEMENT =
      new ReplicaChange("changing the voters from [a] to [b]", "node a is leaving; start node b");

  private final ReplicaHolds holds = new ReplicaHolds();

  private void plan(ReplicaChange... changes) {
    holds.onPlan(Map.of(RANGE, List.of(changes)), Set.of());
  }

  @Test
  void shouldHoldTheReplicasOfARangeAfterACancellation() {
    plan(REMOVAL);
    assertThat(holds.held(1_000)).isEmpty();
    holds.cancel(RANGE, 11_000, 1_000);
    plan();
    assertThat(holds.held(3_000)).containsExactly(RANGE);
    assertThat(holds.pending(3_000))
        .containsExactly(
            new PendingStep(
                RANGE,
                REMOVAL.description(),
                "canceled by an operator; placement may retry the change in 8 s",
                false,
                Duration.ofSeconds(2)));
    assertThatThrownBy(() -> holds.cancel(RANGE, 13_000, 3_000))
        .hasMessageContaining("may retry the change in 8 s");
    assertThat(holds.held(11_000)).isEmpty();
    assertThat(holds.pending(11_000)).isEmpty();
  }

  @Test
  void shouldRefuseASecondCancellationBeforeTheNextPlan() {
    plan(REMOVAL);
    holds.cancel(RANGE, 11_000, 1_000);
    assertThat(holds.isCancelable(RANGE)).isFalse();
    assertThatThrownBy(() -> holds.cancel(RANGE, 12_000, 2_000))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("may retry the change in 9 s");
    assertThat(holds.held(11_000)).isEmpty();
  }

  @Test
  void shouldReportWhatToDoAboutAChangeThatCannotBeCanceled() {
    plan(REPLACEMENT);
    assertThatThrownBy(() -> holds.cancel(RANGE, 11_000, 1_000))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            REPLACEMENT.description() + " cannot be canceled: node a is leaving; start node b");
    assertThat(holds.held(1_000)).isEmpty();
    plan();
    assertThatThrownBy(() -> holds.cancel(RANGE, 11_000, 1_000))
        .hasMessageContaining("no merge or replica change is pending");
  }

  /** The driver makes no plan for a range while a step for it is in progress. */
  @Test
  void shouldCancelAChangeWhileOneOfItsStepsIsInProgress() {
    plan(REMOVAL);
    holds.onPlan(Map.of(), Set.of(RANGE));
    assertThat(holds.isCancelable(RANGE)).isTrue();
    holds.cancel(RANGE, 11_000, 1_000);
    assertThat(holds.held(1_000)).containsExactly(RANGE);
    holds.onPlan(Map.of(), Set.of());
    assertThat(holds.isCancelable(RANGE)).isFalse();
  }
}
