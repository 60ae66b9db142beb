package io.fjordmq.broker.flapping;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.bans.Ban;
import io.fjordmq.broker.bans.BanKind;
import io.fjordmq.broker.bans.Bans;
import io.fjordmq.broker.bans.TestBans;
import io.fjordmq.broker.events.Banned;
import io.fjordmq.broker.events.ClientEventLog;
import io.fjordmq.broker.events.EventsSettings;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.records.TestRecords;
import io.fjordmq.broker.security.Security;
import io.fjordmq.broker.security.SecurityObserver;
import io.fjordmq.broker.session.ClientEvents;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.World;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Flapping clients, with simulated time. */
class FlappingDetectorTest {
  private final TestRecords cluster = new TestRecords();
  private final Bans bans = TestBans.open(cluster);
  private final AtomicInteger counted = new AtomicInteger();
  private final ClientEventLog history = new ClientEventLog(EventsSettings.DEFAULTS, cluster::now);
  private FlappingDetector detector =
      detector(new FlappingSettings(true, 3, Duration.ofMinutes(1), Duration.ofMinutes(5), 100));

  /** Passes events of the clients of a world on, with the time of the bans. */
  private final World world =
      new World(
          SessionSettings.defaults(),
          Security.allowAll("t"),
          new ClientEvents() {
            @Override
            public void onDisconnected(Client client, CloseReason reason, long nowMillis) {
              detector.onDisconnected(client, reason, cluster.now().toEpochMilli());
            }
          });

  private FlappingDetector detector(FlappingSettings settings) {
    SecurityObserver observer =
        new SecurityObserver() {
          @Override
          public void onFlappingBan() {
            counted.incrementAndGet();
          }
        };
    return new FlappingDetector(
        settings, new FlappingDetector.Dependencies(bans::add, history, observer));
  }

  @AfterEach
  void close() {
    world.close();
    cluster.close();
  }

  private TestClient connect(String clientId) {
    TestClient client = world.open().connect5(clientId, true, 0);
    client.expect("CONNACK 0");
    return client;
  }

  private void flap(String clientId, int times) {
    for (int i = 0; i < times; i++) {
      connect(clientId).disconnect();
    }
  }

  private List<Ban> banned() {
    return bans.list(TestBans.ANN);
  }

  @Test
  void shouldBanAClientThatDisconnectsTooOften() {
    flap("good", 2);
    flap("bad", 2);
    assertThat(banned()).isEmpty();
    flap("bad", 1);
    assertThat(banned())
        .containsExactly(
            new Ban(
                BanKind.CLIENTID,
                "bad",
                "t",
                "flapping detector",
                "disconnected 3 times within 60 s",
                cluster.now(),
                cluster.now().plusSeconds(300)));
    assertThat(counted).hasValue(1);
    assertThat(history.find("t", "bad"))
        .anyMatch(
            recorded ->
                recorded.event() instanceof Banned ban
                    && ban.by().equals("flapping detector")
                    && ban.untilMillis() == cluster.now().plusSeconds(300).toEpochMilli());
    cluster.advance(Duration.ofMinutes(5));
    assertThat(banned()).isEmpty();
  }

  @Test
  void shouldBanClientsThatTakeOverEachOther() {
    for (int i = 0; i < 4; i++) {
      connect("same"); // ends the connection before
    }
    assertThat(banned()).hasSize(1);
  }

  @Test
  void shouldCountOnlyDisconnectsWithinTheWindow() {
    flap("c", 2);
    cluster.advance(Duration.ofMinutes(1));
    flap("c", 2);
    assertThat(banned()).isEmpty();
    cluster.advance(Duration.ofSeconds(59));
    flap("c", 1);
    assertThat(banned()).hasSize(1);
  }

  @Test
  void shouldNotBlameClientsForWhatTheNodeDoes() {
    for (int i = 0; i < 5; i++) {
      connect("c");
      world.sessions.disconnect(10);
      world.settle();
    }
    assertThat(banned()).isEmpty();
    assertThat(detector.size()).isZero();
  }

  @Test
  void shouldCountABoundedNumberOfClients() {
    for (int i = 0; i < 150; i++) {
      flap("c" + i, 1);
    }
    assertThat(detector.size()).isEqualTo(100);
    flap("c149", 2);
    flap("c0", 2); // forgotten
    assertThat(banned()).extracting(Ban::value).containsExactly("c149");
  }

  @Test
  void shouldTryAgainIfTheBanCannotBeCreated() {
    AtomicInteger attempts = new AtomicInteger();
    detector =
        new FlappingDetector(
            FlappingSettings.DEFAULTS,
            new FlappingDetector.Dependencies(
                (caller, draft) -> {
                  attempts.incrementAndGet();
                  return CompletableFuture.failedFuture(new IllegalStateException("no leader"));
                },
                history,
                SecurityObserver.NONE));
    flap("c", 30);
    assertThat(attempts).hasValue(2);
    assertThat(counted).hasValue(0);
  }
}
