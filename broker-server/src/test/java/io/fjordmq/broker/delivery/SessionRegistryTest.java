package io.fjordmq.broker.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.nodes.NodeStreams;
import org.junit.jupiter.api.Test;

/** Goal: one connection per client; a new one waits until the older one has released its state. */
class SessionRegistryTest {
  private final SessionRegistry registry = new SessionRegistry(new NodeStreams());
  private final ManualLoop loop = new ManualLoop();
  private final FakeSession older = new FakeSession("c", loop, false);
  private final FakeSession newer = new FakeSession("c", loop, false);

  @Test
  void shouldMakeANewConnectionWaitForTheOlderOne() {
    SessionRegistry.Registration first = registry.register(older);
    assertThat(first.previousReleased()).isDone();

    SessionRegistry.Registration second = registry.register(newer);
    assertThat(second.previousReleased()).isNotDone();
    assertThat(older.closed).as("notified on its own event loop").isFalse();
    loop.runAll();
    assertThat(older.closed).isTrue();
    registry.unregister(first);

    assertThat(second.previousReleased()).isDone();
    assertThat(registry.find(FakeSession.TENANT, "c")).isSameAs(newer);
    assertThat(registry.size()).isEqualTo(1);
  }

  @Test
  void shouldMakeAThirdConnectionWaitForTheSecondOnly() {
    SessionRegistry.Registration first = registry.register(older);
    SessionRegistry.Registration second = registry.register(newer);
    SessionRegistry.Registration third = registry.register(new FakeSession("c", loop, false));
    registry.unregister(first);
    assertThat(third.previousReleased()).isNotDone();
    registry.unregister(second);
    assertThat(third.previousReleased()).isDone();
  }

  @Test
  void shouldRemoveAClientWhenItsLastConnectionIsReleased() {
    SessionRegistry.Registration only = registry.register(older);
    registry.unregister(only);
    registry.unregister(only);
    assertThat(registry.find(FakeSession.TENANT, "c")).isNull();
    assertThat(registry.size()).isZero();
    assertThat(registry.find("other tenant", "c")).isNull();
  }
}
