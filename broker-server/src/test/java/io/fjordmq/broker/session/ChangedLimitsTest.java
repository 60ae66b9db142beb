package io.fjordmq.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.limits.ConnectionLimits;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.limits.TenantSettings;
import io.fjordmq.broker.testing.LeakDetector;
import io.fjordmq.broker.testing.Settings;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.World;
import io.fjordmq.inbox.InboxLimits;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Limits that change while clients are connected. */
@ExtendWith(LeakDetector.class)
class ChangedLimitsTest {
  private static TestClient connect(World world, String clientId) {
    TestClient client = world.open().connect3(clientId, true);
    client.expect("CONNACK 0");
    return client;
  }

  private static void replace(World world, SessionSettings session, TenantSettings tenant) {
    world.tenants.replace(
        new TenantLimits(session, tenant, InboxLimits.DEFAULT), Map.of(), ConnectionLimits.NONE);
    world.sessions.applyLimits();
    world.settle();
  }

  @Test
  void shouldThrottleAConnectedClientByTheNewRate() {
    try (World world = new World(Settings.with("publishesPerSecond", 0))) {
      TestClient client = connect(world, "c");
      for (int i = 0; i < 50; i++) {
        client.publish(0, 0, "a", "x");
      }
      assertThat(client.channel().config().isAutoRead()).isTrue();
      replace(world, Settings.with("publishesPerSecond", 10), TenantSettings.DEFAULTS);
      for (int i = 0; i < 11; i++) {
        assertThat(client.channel().config().isAutoRead()).isTrue();
        client.publish(0, 0, "a", "x");
      }
      assertThat(client.channel().config().isAutoRead()).isFalse();
      client.advanceHalfASecond();
      assertThat(client.channel().config().isAutoRead()).isTrue();
    }
  }

  @Test
  void shouldReleaseAThrottledClientIfTheLimitIsRemoved() {
    try (World world = new World(Settings.with("readBytesPerSecond", 10))) {
      TestClient client = connect(world, "c");
      client.publish(0, 0, "a", "x".repeat(10_000)); // a debt of a quarter of an hour
      client.advanceHalfASecond();
      assertThat(client.channel().config().isAutoRead()).isFalse();
      replace(world, Settings.with("readBytesPerSecond", 0), TenantSettings.DEFAULTS);
      client.advanceHalfASecond();
      assertThat(client.channel().config().isAutoRead()).isTrue();
    }
  }

  @Test
  void shouldKeepWhatWasAnnounced() {
    SessionSettings before = SessionSettings.defaults();
    SessionSettings changed = Settings.with(before, "receiveMaximum", 1);
    changed = Settings.with(changed, "maxQueuedMessages", 5);
    changed = Settings.with(changed, "dropOldest", true);
    SessionSettings merged = before.forOpenConnection(changed);
    assertThat(merged.receiveMaximum()).isEqualTo(before.receiveMaximum());
    assertThat(merged.maxQueuedMessages()).isEqualTo(5);
    assertThat(merged.dropOldest()).isTrue();
    assertThat(before.forOpenConnection(before)).isEqualTo(before);
  }

  @Test
  void shouldLimitTheConnectionsOfATenantAtOnce() {
    try (World world = new World()) {
      connect(world, "a");
      replace(world, SessionSettings.defaults(), new TenantSettings(1, 0, 0, 0, 0));
      world.open().connect3("b", true).expect("CONNACK 3");
      replace(world, SessionSettings.defaults(), new TenantSettings(2, 0, 0, 0, 0));
      connect(world, "b");
    }
  }

  @Test
  void shouldAcceptClientsAgainAfterDraining() {
    try (World world = new World()) {
      TestClient first = connect(world, "a");
      world.sessions.startDraining("");
      world.open().connect3("b", true).expect("CONNACK 3");
      world.sessions.disconnect(10);
      world.settle();
      assertThat(first.isOpen()).isFalse();
      world.sessions.stopDraining();
      connect(world, "b");
    }
  }
}
