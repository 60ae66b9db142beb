package io.fjordmq.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.testing.LeakDetector;
import io.fjordmq.broker.testing.Settings;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.World;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Rates hold over time for any packet size; below them clients are not throttled. */
@ExtendWith(LeakDetector.class)
class ThrottleTest {
  private static final int RATE = 10_000;
  private static final int SECONDS = 20;

  /** Returns the size of an MQTT 3 PUBLISH to topic "a" with QoS 0. */
  private static int packetBytes(int payload) {
    return payload + 3 + 2 + (payload + 3 < 128 ? 0 : 1);
  }

  private static TestClient connect(World world, String clientId) {
    TestClient client = world.open().connect3(clientId, true);
    client.expect("CONNACK 0");
    return client;
  }

  @Test
  void shouldThrottleAFastPublisherToItsRate() {
    for (int payload : new int[] {10, 1_000, 25_000}) {
      try (World world = new World(Settings.with("readBytesPerSecond", RATE))) {
        TestClient client = connect(world, "c");
        long bytes = 0;
        for (int half = 0; half < 2 * SECONDS; half++) {
          while (client.channel().config().isAutoRead()) {
            client.publish(0, 0, "a", "x".repeat(payload));
            bytes += packetBytes(payload);
          }
          client.advanceHalfASecond();
        }
        // Includes the allowance of the first second and the overdraft of the last packet.
        assertThat(bytes).isBetween((long) RATE * SECONDS, RATE * (SECONDS + 1L) + payload + 20);
        assertThat(world.observer.dropped).isEmpty();
      }
    }
  }

  @Test
  void shouldThrottleASubscriberToItsRateWithoutLoss() {
    SessionSettings slow = Settings.with("writeBytesPerSecond", RATE);
    slow = Settings.with(slow, "maxQueuedMessages", 1_000_000);
    slow = Settings.with(slow, "maxQueuedBytes", Integer.MAX_VALUE);
    try (World world = new World(slow)) {
      TestClient client = connect(world, "c").subscribe(1, "a", 0);
      client.expect("SUBACK 1 [0]");
      TestClient publisher = connect(world, "p");
      for (int i = 0; i < 400; i++) {
        publisher.publish(0, 0, "a", "x".repeat(1_000));
      }
      long bytes = (long) packetBytes(1_000) * client.readAll().size();
      for (int half = 0; half < 2 * SECONDS; half++) {
        client.advanceHalfASecond();
        bytes += (long) packetBytes(1_000) * client.readAll().size();
      }
      assertThat(bytes).isBetween((long) RATE * SECONDS, RATE * (SECONDS + 1L) + 1_020);
      assertThat(world.observer.dropped).isEmpty();
      assertThat(world.observer.queued).hasPositiveValue();
    }
  }

  @Test
  void shouldChargeATopicThatIsExpensiveToMatchAsSeveralMessages() {
    try (World world = new World(Settings.with("readBytesPerSecond", RATE))) {
      TestClient subscriber = connect(world, "s").subscribe(1, "#", 0);
      for (int bits = 0; bits < 256; bits++) {
        StringBuilder filter = new StringBuilder();
        for (int level = 0; level < 8; level++) {
          filter.append((bits >> level & 1) == 0 ? "a/" : "+/");
        }
        subscriber.subscribe(2, filter + "z", 0);
      }
      subscriber.readAll();
      TestClient sameTopic = connect(world, "cheap");
      TestClient otherTopics = connect(world, "expensive");
      int sent = 0;
      while (otherTopics.channel().config().isAutoRead()) {
        sameTopic.publish(0, 0, "a/a/a/a/a/a/a/a/q", "");
        otherTopics.publish(0, 0, "a/a/a/a/a/a/a/a/" + sent++, "");
      }
      // The trie has 511 nodes above the last level, so each costs at least 64 bytes besides its
      // 20.
      assertThat(sent).isBetween(50, RATE / (20 + 64));
      assertThat(sameTopic.channel().config().isAutoRead()).isTrue();
      assertThat(world.observer.limits).containsOnlyKeys("read_rate");
    }
  }

  @Test
  void shouldNotProcessMoreOfOneReadThanTheRateAllows() {
    try (World world = new World(Settings.with("readBytesPerSecond", RATE))) {
      TestClient subscriber = connect(world, "s").subscribe(1, "a", 0);
      subscriber.readAll();
      TestClient client = connect(world, "c");
      client.sendHex("30 04 0001 61 00".repeat(RATE)); // six seconds' worth
      assertThat(subscriber.readAll()).hasSizeBetween(RATE / 6 - 100, RATE / 6 + 1);
      client.advance(2);
      assertThat(subscriber.readAll()).hasSizeBetween(2 * RATE / 6 - 100, 2 * RATE / 6 + 100);
    }
  }

  @Test
  void shouldNotThrottleAClientBelowItsRate() {
    try (World world = new World(Settings.with("readBytesPerSecond", RATE))) {
      TestClient client = connect(world, "c");
      for (int half = 0; half < 2 * SECONDS; half++) {
        client.publish(0, 0, "a", "x".repeat(RATE / 2 - 50));
        assertThat(client.channel().config().isAutoRead()).isTrue();
        client.advanceHalfASecond();
      }
      assertThat(world.observer.limits).isEmpty();
    }
  }

  @Test
  void shouldNeitherPauseNorCountWithoutALimit() {
    SessionSettings none = Settings.with("readBytesPerSecond", 0);
    try (World world = new World(Settings.with(none, "writeBytesPerSecond", 0))) {
      TestClient client = connect(world, "c").subscribe(1, "a", 0);
      for (int i = 0; i < 30; i++) {
        client.publish(0, 0, "a", "x".repeat(60_000));
      }
      assertThat(client.readAll()).hasSize(31);
      assertThat(world.observer.limits).isEmpty();
    }
  }
}
