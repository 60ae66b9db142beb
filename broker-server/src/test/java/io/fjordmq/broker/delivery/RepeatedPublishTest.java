package io.fjordmq.broker.delivery;

import static io.fjordmq.api.Qos.AT_LEAST_ONCE;
import static io.fjordmq.api.Qos.EXACTLY_ONCE;
import static io.fjordmq.broker.delivery.Messages.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.inbox.PublishId;
import org.junit.jupiter.api.Test;

/** Goal: a message repeated after a lost connection reaches every receiver once. */
class RepeatedPublishTest {
  private final DeliveryFixture fixture = new DeliveryFixture();
  private final FakeSession live = fixture.connect("live", fixture.loop);

  @Test
  void shouldDeliverARepeatedMessageToLiveReceiversOnce() {
    fixture.subscribe(live, "a", EXACTLY_ONCE);
    publish("m1", new PublishId(1, 10, 10));
    publish("m2", new PublishId(1, 11, 10));
    publish("m1", new PublishId(1, 10, 10));
    publish("m2", new PublishId(1, 11, 10));
    publish("m3", new PublishId(1, 12, 11));

    assertThat(live.texts()).containsExactly("m1", "m2", "m3");
    assertThat(fixture.outcomes).hasSize(5).containsOnly(PublishOutcome.ACCEPTED);
  }

  @Test
  void shouldInsertARepeatedMessageAgainWithoutDeliveringItLiveAgain() {
    fixture.subscribe(live, "a", EXACTLY_ONCE);
    fixture.addInboxRoute("i", "a", EXACTLY_ONCE);
    fixture.inboxes.failure = new IllegalStateException("down");
    publish("m", new PublishId(1, 10, 10));
    assertThat(fixture.lastOutcome()).isEqualTo(PublishOutcome.NOT_DURABLE);

    fixture.inboxes.failure = null;
    publish("m", new PublishId(1, 10, 10));

    assertThat(fixture.lastOutcome()).isEqualTo(PublishOutcome.ACCEPTED);
    assertThat(fixture.inboxes.inserts).hasSize(2);
    assertThat(live.texts()).containsExactly("m");
  }

  @Test
  void shouldDeliverARepeatedMessageToAShareOnceWhenAConnectedMemberReceivedIt() {
    FakeSession other = fixture.connect("other", fixture.loop);
    fixture.subscribe(live, "$share/s/a", EXACTLY_ONCE);
    fixture.subscribe(other, "$share/s/a", EXACTLY_ONCE);
    publish("m", new PublishId(1, 10, 10));
    FakeSession chosen = live.deliveries.isEmpty() ? other : live;
    fixture.local.removeAll(chosen);
    fixture.addInboxRoute("i", "$share/s/a", AT_LEAST_ONCE);

    publish("m", new PublishId(1, 10, 10));

    assertThat(live.deliveries.size() + other.deliveries.size()).isEqualTo(1);
    assertThat(fixture.inboxes.inserts).isEmpty();
  }

  @Test
  void shouldNotTreatTheSameNumberOfAnotherPublisherAsARepetition() {
    fixture.subscribe(live, "a", EXACTLY_ONCE);
    publish("one", new PublishId(1, 10, 10));
    publish("two", new PublishId(2, 10, 10));
    assertThat(live.texts()).containsExactly("one", "two");
  }

  @Test
  void shouldForgetTheLeastRecentlyActivePublisherWhenThereAreTooMany() {
    fixture.subscribe(live, "a", EXACTLY_ONCE);
    publish("one", new PublishId(1, 10, 10));
    publish("two", new PublishId(2, 10, 10));
    publish("one", new PublishId(1, 10, 10));
    publish("three", new PublishId(3, 10, 10));

    publish("one", new PublishId(1, 10, 10));
    publish("two", new PublishId(2, 10, 10));

    assertThat(fixture.distribution.status().repeatingPublishers())
        .isEqualTo(DeliveryFixture.SMALL.maxRepeatingPublishers());
    assertThat(live.texts()).containsExactly("one", "two", "three", "two");
    assertThat(fixture.observer.evictedPublishers.sum()).isEqualTo(2);
  }

  @Test
  void shouldTreatReleasedNumbersAsRepeated() {
    fixture.subscribe(live, "a", EXACTLY_ONCE);
    publish("two", new PublishId(1, 11, 11));
    publish("one", new PublishId(1, 10, 10));
    assertThat(live.texts()).containsExactly("two");
  }

  @Test
  void shouldBoundTheNumberOfRememberedMessages() {
    fixture.subscribe(live, "a", EXACTLY_ONCE);
    for (int i = 1; i <= 4; i++) {
      publish("one" + i, new PublishId(1, i, 1));
    }
    for (int i = 1; i <= 9; i++) {
      publish("two" + i, new PublishId(2, i, 1));
    }
    assertThat(fixture.distribution.status().repeatableMessages())
        .isEqualTo(DeliveryFixture.SMALL.maxRepeatableMessages());
    assertThat(fixture.observer.evictedPublishers.sum()).isEqualTo(1);
    publish("two9", new PublishId(2, 9, 1));
    publish("two1", new PublishId(2, 1, 1));
    assertThat(live.texts()).hasSize(13);
  }

  private void publish(String text, PublishId id) {
    fixture.publish(message("a", EXACTLY_ONCE, text), id);
  }
}
