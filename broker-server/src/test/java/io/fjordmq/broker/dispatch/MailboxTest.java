package io.fjordmq.broker.dispatch;

import static io.fjordmq.api.Qos.AT_LEAST_ONCE;
import static io.fjordmq.api.Qos.AT_MOST_ONCE;
import static io.fjordmq.broker.delivery.Messages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.delivery.DeliveryFixture;
import io.fjordmq.broker.delivery.FakeSession;
import io.fjordmq.inbox.ConnectOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: each limit applies when an event loop falls behind. */
class MailboxTest {
  private static final DeliverySettings SMALL = DeliveryFixture.SMALL;

  private final DeliveryFixture fixture = new DeliveryFixture();
  private final FakeSession slow = fixture.connect("slow", fixture.otherLoop);

  @Test
  void shouldFlushTheOutboxBeforeTheEndOfTheBatchWhenItIsFull() {
    fixture.subscribe(slow, "a", AT_MOST_ONCE);
    fixture.loop.run(
        () -> {
          for (int i = 0; i < SMALL.outboxDeliveries(); i++) {
            publishWithoutFlush("m" + i);
          }
        });
    assertThat(fixture.otherLoop.scheduledCount()).isEqualTo(1);
    fixture.otherLoop.runAll();
    assertThat(slow.texts()).containsExactly("m0", "m1", "m2", "m3");
  }

  @Test
  void shouldYieldToOtherWorkWhenManyDeliveriesWait() {
    List<FakeSession> many = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      FakeSession session = fixture.connect("s" + i, fixture.otherLoop);
      fixture.subscribe(session, "a", AT_MOST_ONCE);
      many.add(session);
    }
    fixture.publish(message("a", AT_MOST_ONCE, "m0"));
    fixture.publish(message("a", AT_MOST_ONCE, "m1"));

    fixture.otherLoop.runQueuedTasks();
    assertThat(fixture.observer.delivered.sum()).isEqualTo(SMALL.mailboxBatchSize());
    assertThat(fixture.distribution.status().waitingCopies())
        .isEqualTo(24 - SMALL.mailboxBatchSize());
    fixture.otherLoop.runAll();

    assertThat(many).allMatch(session -> session.texts().equals(List.of("m0", "m1")));
    assertThat(fixture.distribution.status().waitingCopies()).isZero();
    assertThat(fixture.distribution.status().waitingBytes()).isZero();
  }

  @Test
  void shouldDelayAcknowledgementsAboveTheHighWaterMark() {
    fixture.subscribe(slow, "a", AT_LEAST_ONCE);
    int countAboveMark = (int) SMALL.mailboxHighWater() + 1;
    for (int i = 0; i < countAboveMark; i++) {
      fixture.publish(message("a", AT_LEAST_ONCE, "m"));
    }
    assertThat(fixture.outcomes).hasSize(countAboveMark);

    fixture.publish(message("a", AT_LEAST_ONCE, "late"));
    fixture.publish(message("nobody", AT_LEAST_ONCE, "other topics are not slowed"));

    assertThat(fixture.outcomes).hasSize(countAboveMark + 1);
    assertThat(fixture.observer.delayedAcknowledgements.sum()).isEqualTo(1);
    assertThat(fixture.distribution.status().delayedPublishes()).isEqualTo(1);
    fixture.otherLoop.runAll();
    assertThat(fixture.outcomes).hasSize(countAboveMark + 2);
    assertThat(slow.deliveries).hasSize(countAboveMark + 1);
    assertThat(fixture.distribution.status().delayedPublishes()).isZero();
    fixture.publish(message("a", AT_LEAST_ONCE, "again in time"));
    assertThat(fixture.outcomes).hasSize(countAboveMark + 3);
  }

  @Test
  void shouldDelayAcknowledgementsOfDurablePublishesAboveTheHighWaterMark() {
    fixture.subscribe(slow, "a", AT_LEAST_ONCE);
    fixture.addInboxRoute("i", "a", AT_LEAST_ONCE);
    int countAboveMark = (int) SMALL.mailboxHighWater() + 1;
    for (int i = 0; i <= countAboveMark; i++) {
      fixture.publish(message("a", AT_LEAST_ONCE, "m"));
    }
    assertThat(fixture.outcomes).hasSize(countAboveMark);
    fixture.otherLoop.runAll();
    assertThat(fixture.outcomes).hasSize(countAboveMark + 1);
  }

  @Test
  void shouldDropAndCountAboveTheCapacity() {
    fixture.subscribe(slow, "a", AT_MOST_ONCE);
    int total = 100;
    for (int i = 0; i < total; i++) {
      fixture.publish(message("a", AT_MOST_ONCE, "m" + i));
    }
    long taken = SMALL.mailboxCapacity() + 1;
    assertThat(fixture.observer.onDropped(CopyDropReason.MAILBOX_FULL)).isEqualTo(total - taken);
    fixture.otherLoop.runAll();
    assertThat(slow.deliveries).hasSize((int) taken);
    fixture.publishAndRun(message("a", AT_MOST_ONCE, "room again"));
    assertThat(slow.texts()).endsWith("room again");
    assertThat(fixture.outcomes).hasSize(total + 1);
  }

  @Test
  void shouldLimitBytesToo() {
    fixture.subscribe(slow, "a", AT_MOST_ONCE);
    String large = "x".repeat((int) SMALL.mailboxCapacityBytes() + 1);
    fixture.publish(message("a", AT_MOST_ONCE, large));
    fixture.publish(message("a", AT_MOST_ONCE, "dropped"));

    assertThat(fixture.distribution.status().waitingBytes()).isEqualTo(large.length());
    assertThat(fixture.observer.onDropped(CopyDropReason.MAILBOX_FULL)).isEqualTo(1);
    fixture.otherLoop.runAll();
    assertThat(slow.deliveries).hasSize(1);
  }

  @Test
  void shouldCountDeliveriesLostWhenTheEventLoopHasStopped() {
    fixture.subscribe(slow, "a", AT_MOST_ONCE);
    fixture.otherLoop.close();
    fixture.publish(message("a", AT_MOST_ONCE, "m"));
    assertThat(fixture.observer.onDropped(CopyDropReason.LOOP_CLOSED)).isEqualTo(1);
    assertThat(fixture.distribution.status().waitingCopies()).isZero();
  }

  @Test
  void shouldDeliverToOtherSessionsWhenOneThrowsAnError() {
    FakeSession failing = fixture.connect("failing", fixture.otherLoop);
    failing.fatal = true;
    fixture.subscribe(failing, "f", AT_MOST_ONCE);
    fixture.subscribe(slow, "a", AT_MOST_ONCE);
    fixture.publish(message("f", AT_MOST_ONCE, "fatal"));
    fixture.publish(message("a", AT_MOST_ONCE, "fine"));

    assertThatThrownBy(fixture.otherLoop::runAll).isInstanceOf(StackOverflowError.class);
    fixture.otherLoop.runAll();

    assertThat(slow.texts()).containsExactly("fine");
    assertThat(fixture.distribution.status().waitingCopies()).isZero();
    assertThat(fixture.distribution.status().waitingBytes()).isZero();
  }

  @Test
  void shouldFlushEachSessionOncePerRun() {
    fixture.subscribe(slow, "a", AT_MOST_ONCE);
    fixture.publish(message("a", AT_MOST_ONCE, "m0"));
    fixture.publish(message("a", AT_MOST_ONCE, "m1"));
    fixture.publish(message("a", AT_MOST_ONCE, "m2"));
    assertThat(fixture.otherLoop.scheduledCount()).isEqualTo(1);
    fixture.otherLoop.runAll();
    assertThat(slow.deliveries).hasSize(3);
    assertThat(slow.flushes).isEqualTo(1);
  }

  private void publishWithoutFlush(String text) {
    fixture.distribution.publish(
        FakeSession.TENANT,
        message("a", AT_MOST_ONCE, text),
        ConnectOrder.NONE,
        null,
        fixture.outcomes::add);
  }
}
