package io.fjordmq.broker.delivery;

import static io.fjordmq.broker.delivery.PublishOutcome.ACCEPTED;
import static io.fjordmq.broker.delivery.PublishOutcome.NOT_DURABLE;
import static io.fjordmq.broker.delivery.PublishOutcome.QUOTA_EXCEEDED;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PublishJoinTest {
  private final List<PublishOutcome> outcomes = new ArrayList<>();
  private final PublishJoin join = new PublishJoin(ACCEPTED, outcomes::add, DeliveryObserver.NONE);

  @Test
  void shouldReportTheWorstOutcomeWhenAllPartsAreComplete() {
    join.openPart();
    join.closePart(QUOTA_EXCEEDED);
    assertThat(outcomes).isEmpty();
    join.closePart(ACCEPTED);
    assertThat(outcomes).containsExactly(QUOTA_EXCEEDED);
  }

  @Test
  void shouldReportANonDurablePartImmediatelyAndOnce() {
    join.openPart();
    join.openPart();
    join.closePart(NOT_DURABLE);
    assertThat(outcomes).containsExactly(NOT_DURABLE);
    join.closePart(NOT_DURABLE);
    join.closePart(ACCEPTED);
    assertThat(outcomes).containsExactly(NOT_DURABLE);
  }

  @Test
  void shouldNotReopenAfterItsOutcomeIsReported() {
    assertThat(join.tryOpenPart()).isTrue();
    join.closePart(ACCEPTED);
    join.closePart(ACCEPTED);
    assertThat(join.tryOpenPart()).isFalse();
    assertThat(outcomes).hasSize(1);
  }
}
