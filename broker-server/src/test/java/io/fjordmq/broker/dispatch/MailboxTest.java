package io.fjordmq.broker.dispatch;

import static io.fjordmq.api.Qos.AT_LEAST_ONCE;
import static io.fjordmq.api.Qos.AT_MOST_ONCE;
import static io.fjordmq.broker.delivery.Messages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.delivery.DeliveryWorld;
import io.fjordmq.broker.delivery.FakeSession;
import io.fjordmq.inbox.ConnectOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: each limit applies when an event loop falls behind. */
class MailboxTest {
  private static final DeliverySettings SMALL = DeliveryWorld.SMALL;

  private final DeliveryWorld world = new DeliveryWorld();
  private final FakeSession slow = world.connect("slow", world.other);

  @Test
  void shouldFlushTheOutboxBeforeTheEndOfTheBatchWhenItIsFull() {
    world.subscribe(slow, "a", AT_MOST_ONCE);
    world.loop.run(
        () -> {
          for (int i = 0; i < SMALL.outboxDeliveries(); i++) {
            publishOnly("m" + i);
          }
        });
    assertThat(world.other.scheduled()).isEqualTo(1);
    world.other.runAll();
    assertThat(slow.texts()).containsExactly("m0", "m1", "m2", "m3");
  }

  @Test
  void shouldYieldToOtherWorkWhenManyDeliveriesWait() {
    List<FakeSession> many = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      FakeSession session = world.connect("s" + i, world.other);
      world.subscribe(session, "a", AT_MOST_ONCE);
      many.add(session);
    }
    world.publish(message("a", AT_MOST_ONCE, "m0"));
    world.publish(message("a", AT_MOST_ONCE, "m1"));

    world.other.runTurn();
    assertThat(world.observer.delivered.sum()).isEqualTo(SMALL.mailboxBatchSize());
    assertThat(world.publisher.status().waitingCopies()).isEqualTo(24 - SMALL.mailboxBatchSize());
    world.other.runAll();

    assertThat(many).allMatch(session -> session.texts().equals(List.of("m0", "m1")));
    assertThat(world.publisher.status().waitingCopies()).isZero();
    assertThat(world.publisher.status().waitingBytes()).isZero();
  }

  @Test
  void shouldDelayAcknowledgementsAboveTheHighWaterMark() {
    world.subscribe(slow, "a", AT_LEAST_ONCE);
    int toPassTheMark = (int) SMALL.mailboxHighWater() + 1;
    for (int i = 0; i < toPassTheMark; i++) {
      world.publish(message("a", AT_LEAST_ONCE, "m"));
    }
    assertThat(world.answers).hasSize(toPassTheMark);

    world.publish(message("a", AT_LEAST_ONCE, "late"));
    world.publish(message("nobody", AT_LEAST_ONCE, "other topics are not slowed"));

    assertThat(world.answers).hasSize(toPassTheMark + 1);
    assertThat(world.observer.slowed.sum()).isEqualTo(1);
    assertThat(world.publisher.status().delayedPublishes()).isEqualTo(1);
    world.other.runAll();
    assertThat(world.answers).hasSize(toPassTheMark + 2);
    assertThat(slow.deliveries).hasSize(toPassTheMark + 1);
    assertThat(world.publisher.status().delayedPublishes()).isZero();
    world.publish(message("a", AT_LEAST_ONCE, "again in time"));
    assertThat(world.answers).hasSize(toPassTheMark + 3);
  }

  @Test
  void shouldDelayAcknowledgementsOfDurablePublishesAboveTheHighWaterMark() {
    world.subscribe(slow, "a", AT_LEAST_ONCE);
    world.inboxRoute("i", "a", AT_LEAST_ONCE);
    int toPassTheMark = (int) SMALL.mailboxHighWater() + 1;
    for (int i = 0; i <= toPassTheMark; i++) {
      world.publish(message("a", AT_LEAST_ONCE, "m"));
    }
    assertThat(world.answers).hasSize(toPassTheMark);
    world.other.runAll();
    assertThat(world.answers).hasSize(toPassTheMark + 1);
  }

  @Test
  void shouldDropAndCountAboveTheCapacity() {
    world.subscribe(slow, "a", AT_MOST_ONCE);
    int total = 100;
    for (int i = 0; i < total; i++) {
      world.publish(message("a", AT_MOST_ONCE, "m" + i));
    }
    long taken = SMALL.mailboxCapacity() + 1;
    assertThat(world.observer.onDropped(CopyDropReason.MAILBOX_FULL)).isEqualTo(total - taken);
    world.other.runAll();
    assertThat(slow.deliveries).hasSize((int) taken);
    world.publishAndRun(message("a", AT_MOST_ONCE, "room again"));
    assertThat(slow.texts()).endsWith("room again");
    assertThat(world.answers).hasSize(total + 1);
  }

  @Test
  void shouldLimitBytesToo() {
    world.subscribe(slow, "a", AT_MOST_ONCE);
    String large = "x".repeat((int) SMALL.mailboxCapacityBytes() + 1);
    world.publish(message("a", AT_MOST_ONCE, large));
    world.publish(message("a", AT_MOST_ONCE, "dropped"));

    assertThat(world.publisher.status().waitingBytes()).isEqualTo(large.length());
    assertThat(world.observer.onDropped(CopyDropReason.MAILBOX_FULL)).isEqualTo(1);
    world.other.runAll();
    assertThat(slow.deliveries).hasSize(1);
  }

  @Test
  void shouldCountDeliveriesLostWhenTheEventLoopHasStopped() {
    world.subscribe(slow, "a", AT_MOST_ONCE);
    world.other.close();
    world.publish(message("a", AT_MOST_ONCE, "m"));
    assertThat(world.observer.onDropped(CopyDropReason.LOOP_CLOSED)).isEqualTo(1);
    assertThat(world.publisher.status().waitingCopies()).isZero();
  }

  @Test
  void shouldDeliverToOtherSessionsWhenOneThrowsAnError() {
    FakeSession failing = world.connect("failing", world.other);
    failing.fatal = true;
    world.subscribe(failing, "f", AT_MOST_ONCE);
    world.subscribe(slow, "a", AT_MOST_ONCE);
    world.publish(message("f", AT_MOST_ONCE, "fatal"));
    world.publish(message("a", AT_MOST_ONCE, "fine"));

    assertThatThrownBy(world.other::runAll).isInstanceOf(StackOverflowError.class);
    world.other.runAll();

    assertThat(slow.texts()).containsExactly("fine");
    assertThat(world.publisher.status().waitingCopies()).isZero();
    assertThat(world.publisher.status().waitingBytes()).isZero();
  }

  @Test
  void shouldFlushEachSessionOncePerRun() {
    world.subscribe(slow, "a", AT_MOST_ONCE);
    world.publish(message("a", AT_MOST_ONCE, "m0"));
    world.publish(message("a", AT_MOST_ONCE, "m1"));
    world.publish(message("a", AT_MOST_ONCE, "m2"));
    assertThat(world.other.scheduled()).isEqualTo(1);
    world.other.runAll();
    assertThat(slow.deliveries).hasSize(3);
    assertThat(slow.flushes).isEqualTo(1);
  }

  private void publishOnly(String text) {
    world.publisher.publish(
        FakeSession.TENANT,
        message("a", AT_MOST_ONCE, text),
        ConnectOrder.NONE,
        null,
        world.answers::add);
  }
}
