package io.fjordmq.broker.delivery;

import static io.fjordmq.broker.delivery.PublishOutcome.ACCEPTED;
import static io.fjordmq.broker.delivery.PublishOutcome.NOT_DURABLE;
import static io.fjordmq.broker.delivery.PublishOutcome.QUOTA_EXCEEDED;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PublishJoinTest {
  private final List<PublishOutcome> told = new ArrayList<>();
  private final PublishJoin join = new PublishJoin(ACCEPTED, told::add, DeliveryObserver.NONE);

  @Test
  void shouldTellTheWorstWhenAllPartsAreKnown() {
    join.open();
    join.part(QUOTA_EXCEEDED);
    assertThat(told).isEmpty();
    join.part(ACCEPTED);
    assertThat(told).containsExactly(QUOTA_EXCEEDED);
  }

  @Test
  void shouldTellAtOnceAndOnceThatAPartIsNotDurable() {
    join.open();
    join.open();
    join.part(NOT_DURABLE);
    assertThat(told).containsExactly(NOT_DURABLE);
    join.part(NOT_DURABLE);
    join.part(ACCEPTED);
    assertThat(told).containsExactly(NOT_DURABLE);
  }

  @Test
  void shouldNotOpenAgainOnceItIsAnswered() {
    assertThat(join.tryOpen()).isTrue();
    join.part(ACCEPTED);
    join.part(ACCEPTED);
    assertThat(join.tryOpen()).isFalse();
    assertThat(told).hasSize(1);
  }
}
