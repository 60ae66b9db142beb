package io.fjordmq.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.testing.LeakDetector;
import io.fjordmq.broker.testing.Settings;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.World;
import java.util.Collections;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Goal: a client that sends and does not read uses bounded memory, and a client that merely reads
 * late is not disconnected. Method: the client's end of the channel reads nothing.
 */
@ExtendWith(LeakDetector.class)
class UnreadAnswersTest {
  private static final String PING = "c000";
  private static final int PINGS = 500;

  /** The channel is full at 64 KiB, and as many bytes of answers may be queued. */
  private static final int MAX_BYTES = 160 << 10;

  private static final int KEEP_ALIVE = 10;

  private final World world = new World(withoutRateLimits());

  private static SessionSettings withoutRateLimits() {
    SessionSettings settings = Settings.with("readBytesPerSecond", 0);
    return Settings.with(settings, "writeBytesPerSecond", 0);
  }

  @AfterEach
  void closeWorld() {
    world.close();
    assertThat(world.observer.heldBack).hasValue(0);
    assertThat(world.sessions.size()).isZero();
  }

  private static boolean isReading(TestClient client) {
    return client.channel().config().isAutoRead();
  }

  /** Returns the number of PINGREQs read before the broker stopped reading. */
  private static int pingUntilReadingStops(TestClient client) {
    int sent = 0;
    while (isReading(client)) {
      client.sendHex(PING.repeat(PINGS));
      sent += PINGS;
      assertThat(client.unreadBytes()).isLessThan(MAX_BYTES);
    }
    return sent;
  }

  @Test
  void shouldStopReadingFromAClientThatDoesNotReadItsAnswers() {
    TestClient client = world.connectWithKeepAlive(0).stopReading();
    int sent = pingUntilReadingStops(client);
    assertThat(world.observer.heldBack).hasValue(1);
    client.readAgain();
    assertThat(isReading(client)).isTrue();
    assertThat(world.observer.heldBack).hasValue(0);
    assertThat(client.readAll()).isEqualTo(Collections.nCopies(sent, "PINGRESP"));
    client.sendHex(PING).expect("PINGRESP");
  }

  @Test
  void shouldCountAnswersWrittenOneByOne() {
    TestClient client = world.connectWithKeepAlive(0).stopReading();
    while (isReading(client)) {
      client.sendHex(PING);
      assertThat(client.unreadBytes()).isLessThan(MAX_BYTES);
    }
    client.readAgain();
    assertThat(isReading(client)).isTrue();
  }

  /** The client may be busy sending and read afterwards. */
  @Test
  void shouldKeepReadingFromAClientWithOnlyQueuedMessages() {
    TestClient client = world.connectWithKeepAlive(0).subscribe(1, "a", 0);
    client.expect("SUBACK 1 [0]");
    client.stopReading();
    TestClient publisher = world.open().connect5("p", true, 0);
    for (int i = 0; i < 3; i++) {
      publisher.publish(0, 0, "a", "x".repeat(500_000));
    }
    for (int i = 0; i < 100; i++) {
      client.publish(i + 1, 1, "b", "y");
    }
    assertThat(isReading(client)).isTrue();
    client.readAgain();
    assertThat(client.readAll()).hasSize(103);
  }

  @Test
  void shouldDisconnectAClientThatReadsNothingForMoreThanItsKeepAlive() {
    TestClient client = world.connectWithKeepAlive(KEEP_ALIVE).stopReading();
    pingUntilReadingStops(client);
    client.advance(KEEP_ALIVE + KEEP_ALIVE / 2);
    assertThat(client.isOpen()).isTrue();
    client.advance(2);
    assertThat(client.isOpen()).isFalse();
    assertThat(world.observer.disconnected).containsOnly(Map.entry(CloseReason.CLIENT_TOO_SLOW, 1));
  }

  @Test
  void shouldKeepAClientThatReadsSlowly() {
    TestClient client = world.connectWithKeepAlive(KEEP_ALIVE).stopReading();
    pingUntilReadingStops(client);
    for (int i = 0; i < 10; i++) {
      client.readSome().advance(KEEP_ALIVE);
      assertThat(client.isOpen()).isTrue();
    }
    // Packets sent meanwhile were not read, so the keep-alive time starts here.
    client.readAgain().advance(KEEP_ALIVE);
    assertThat(client.isOpen()).isTrue();
    client.advance(KEEP_ALIVE);
    assertThat(world.observer.disconnected)
        .containsOnly(Map.entry(CloseReason.KEEP_ALIVE_TIMEOUT, 1));
  }

  @Test
  void shouldKeepAClientWithoutKeepAliveUntilMemoryIsShort() {
    TestClient client = world.connectWithKeepAlive(0).stopReading();
    pingUntilReadingStops(client);
    client.advance(1_000);
    world.sessions.disconnectStuckClients();
    world.settle();
    assertThat(client.isOpen()).isTrue();
    world.sessions.disconnectStuckClients();
    world.settle();
    assertThat(client.isOpen()).isFalse();
  }
}
