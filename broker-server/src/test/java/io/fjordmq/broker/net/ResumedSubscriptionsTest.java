package io.fjordmq.broker.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.router.Receiver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A persistent session with many filters comes back. */
class ResumedSubscriptionsTest {
  private static final int FILTERS = 1_200;
  private static final int OF_A_TURN = 500;

  private final World world = new World();
  private StoreTasks routing = world.tasks;

  @AfterEach
  void close() {
    world.close();
  }

  /** Sessions that are away, and a router that answers nothing from now on. */
  private void sessionsAreAway() {
    TestClient many = world.open().connect3("many", false);
    for (int i = 0; i < FILTERS; i++) {
      many.subscribe(1 + i, "m/" + i, 1);
    }
    many.cut();
    world.open().connect3("one", false).subscribe(1, "o", 1).cut();
    world.settle();
    assertThat(world.router.filters(Receiver.Live.class)).isEmpty();
    routing = world.separateRouting();
    routing.hold();
  }

  @Test
  void shouldSubscribeAgainInTurnsSoThatOthersDoNotWaitForAllOfThem() {
    sessionsAreAway();
    TestClient many = world.open().connect3("many", false);
    assertThat(routing.waiting()).isEqualTo(OF_A_TURN);
    TestClient one = world.open().connect3("one", false);
    assertThat(routing.waiting()).isEqualTo(OF_A_TURN + 1);
    many.expect();
    one.expect();
    routing.resume();
    world.settle();
    many.expect("CONNACK 0 present");
    one.expect("CONNACK 0 present");
    assertThat(world.router.filters(Receiver.Live.class)).hasSize(FILTERS + 1);
  }

  @Test
  void shouldStopWhenTheClientHasGone() {
    sessionsAreAway();
    TestClient impatient = world.open().connect3("many", false);
    impatient.cut();
    assertThat(routing.waiting()).isEqualTo(OF_A_TURN);
    routing.resume();
    world.settle();
    assertThat(world.router.filters(Receiver.Live.class)).isEmpty();
    assertThat(world.router.additions()).isEqualTo(2 * (FILTERS + 1) + OF_A_TURN);
  }
}
