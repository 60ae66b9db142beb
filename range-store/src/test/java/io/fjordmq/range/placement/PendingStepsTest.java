package io.fjordmq.range.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.range.RangeId;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PendingStepsTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final RangeId FIRST = new RangeId("words", 1);
  private static final RangeId SECOND = new RangeId("words", 2);
  private static final PendingStep REMOVAL =
      new PendingStep(FIRST, "removing the replica on node a", "node b is down", false);
  private static final Step.Drop DROP =
      new Step.Drop(FIRST, A, B, new ReplicaSet(Set.of(B), Set.of()), 9);

  private final PendingSteps steps = new PendingSteps();

  private void plan(PendingStep... pending) {
    nowMillis += 1_000;
    steps.onPlan(List.of(pending), Set.of(), Set.of(), nowMillis);
  }

  private long nowMillis = 10_000;

  private PendingStep onlyStep() {
    List<PendingStep> all = steps.list(nowMillis);
    assertThat(all).hasSize(1);
    return all.get(0);
  }

  @Test
  void shouldReportSinceWhenAStepHasBeenPending() {
    plan(REMOVAL);
    PendingStep later = new PendingStep(FIRST, REMOVAL.description(), "node c is down", false);
    plan(later);
    assertThat(onlyStep().reason()).isEqualTo("node c is down");
    assertThat(onlyStep().waiting()).isEqualTo(Duration.ofSeconds(1));
    plan();
    assertThat(steps.list(nowMillis)).isEmpty();
    plan(later);
    assertThat(onlyStep().waiting()).isEqualTo(Duration.ZERO);
  }

  @Test
  void shouldKeepPendingStepsOfABusyRange() {
    plan(REMOVAL);
    steps.onPlan(List.of(), Set.of(), Set.of(FIRST), nowMillis + 1_000);
    assertThat(onlyStep().description()).isEqualTo(REMOVAL.description());
    plan(REMOVAL);
    assertThat(onlyStep().waiting()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void shouldReportWhetherAFailingStepCanBeCanceled() {
    steps.onStepFinished(DROP, "no response", true, nowMillis);
    assertThat(onlyStep().cancelable()).isTrue();
    steps.onStepFinished(DROP, "no response", false, nowMillis);
    assertThat(onlyStep().cancelable()).isFalse();
  }

  @Test
  void shouldListAFailingStepUntilItSucceedsOrIsObsolete() {
    steps.onStepFinished(DROP, "no response", false, nowMillis);
    nowMillis += 1_000;
    steps.onPlan(List.of(), Set.of(FIRST), Set.of(), nowMillis);
    steps.onStepFinished(DROP, "it is needed", false, nowMillis);
    assertThat(onlyStep().description()).isEqualTo("removing the replica on node a");
    assertThat(onlyStep().reason()).contains("it is needed");
    assertThat(onlyStep().waiting()).isEqualTo(Duration.ofSeconds(1));
    steps.onStepFinished(DROP, null, false, nowMillis);
    assertThat(steps.list(nowMillis)).isEmpty();
    steps.onStepFinished(DROP, "no response", false, nowMillis);
    steps.onPlan(List.of(), Set.of(SECOND), Set.of(), nowMillis);
    assertThat(steps.list(nowMillis)).isEmpty();
  }
}
