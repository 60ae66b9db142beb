package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import io.fjordmq.testing.Await;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients that use up connections, memory and time without sending an invalid packet: each is
 * disconnected and counted, and other clients are not affected.
 */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AbusiveClientsTest {
  private static final long SEED = Long.getLong("fjordmq.fuzz.seed", System.nanoTime());
  private static final int FUZZ_SECONDS = Integer.getInteger("fjordmq.fuzz.seconds", 4);

  /** Without the default rates, which would throttle the abusive clients most of the time. */
  private static final String LIMITS =
      """
      sessionConfig:
        connectTimeout: 2 s
        maxPacketBytes: 64 KiB
        readBytesPerSecond: 0
        writeBytesPerSecond: 0
      """;

  private static final double MIB = 1 << 20;

  /** Messages after which the publisher waits for the client that does read. */
  private static final int STEP = 50;

  private BrokerUnderTest broker;
  private Bystander bystander;

  @BeforeAll
  void start(@TempDir Path directory) {
    broker = BrokerUnderTest.startIn(directory, LIMITS, List.of());
    bystander = new Bystander(broker.mqtt());
  }

  @AfterEach
  void assertOthersUnaffectedAndNothingLeft() {
    bystander.assertUnaffected();
    Await.until(
        "the end of all other connections",
        30,
        () -> broker.scrape().value("fjordmq_connections") == Bystander.CONNECTIONS);
  }

  @AfterAll
  void stop() {
    bystander.close();
    assertThat(broker.stop()).isZero();
    assertThat(broker.output()).doesNotContain("ERROR", "Exception", "\tat ");
  }

  @Test
  void shouldCloseConnectionsWhoseConnectNeverCompletes() {
    String metric = "fjordmq_connections_refused_total{reason=\"connect_timeout\"}";
    double before = broker.scrape().value(metric);
    byte[] connect = RawClient.connectPacket(5, "slow".repeat(20), 60);
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      clients.add(new RawClient(broker.mqtt()));
    }
    // Half of them send nothing at all, the others a byte now and then.
    int sent = 0;
    while (broker.scrape().value(metric) < before + 100) {
      assertThat(sent).as("bytes of a CONNECT without an end").isLessThan(connect.length);
      for (int i = 0; i < 50; i++) {
        clients.get(i).send(new byte[] {connect[sent]});
      }
      sent++;
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
    }
    for (RawClient client : clients) {
      assertThat(client.next()).isEqualTo(RawClient.CLOSED);
      client.close();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 5})
  void shouldCloseAConnectionSilentForMoreThanItsKeepAlive(int level) {
    String metric = "fjordmq_connections_closed_total{reason=\"keep_alive_timeout\"}";
    double before = broker.scrape().value(metric);
    long begin = System.nanoTime();
    try (RawClient client = RawClient.openConnected(broker.mqtt(), level, "silent", 1)) {
      if (level == 5) {
        assertThat(client.next()).startsWith("e0").matches("....8d.*");
      }
      assertThat(client.next()).isEqualTo(RawClient.CLOSED);
    }
    assertThat(System.nanoTime() - begin).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(1_400));
    assertThat(broker.scrape().value(metric)).isEqualTo(before + 1);
  }

  @Test
  void shouldNotCountPartialPacketsForTheKeepAlive() {
    String metric = "fjordmq_connections_closed_total{reason=\"keep_alive_timeout\"}";
    double before = broker.scrape().value(metric);
    try (RawClient client = RawClient.openConnected(broker.mqtt(), 5, "dripping", 1)) {
      client.send("30 ffff02 0001 61 00");
      int drops = 0;
      while (broker.scrape().value(metric) == before) {
        assertThat(drops++).as("bytes of a PUBLISH without an end").isLessThan(100);
        client.send("00");
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void shouldBoundTheQueueOfAClientThatNeverReads(int qos) {
    int messages = 2_000; // several times the capacity of the socket buffers
    String text = "x".repeat(8_000);
    String topic = "flood/" + qos;
    Scrape before = broker.scrape();
    try (RawClient neverReading = RawClient.openConnected(broker.mqtt(), 4, "deaf-" + qos, 0);
        Mqtt5Session listener = new Mqtt5Session(broker.mqtt(), "listener-" + qos);
        Mqtt5Session publisher = new Mqtt5Session(broker.mqtt(), "flood-" + qos)) {
      assertThat(neverReading.send("820c 0001 0007 666c6f6f642f23 0" + qos).next())
          .isEqualTo("9003000" + "10" + qos);
      listener.connect();
      listener.subscribe(topic, MqttQos.AT_LEAST_ONCE);
      publisher.connect();
      for (int first = 0; first < messages; first += STEP) {
        for (int i = first; i < first + STEP; i++) {
          publisher.publishLater(topic, MqttQos.AT_LEAST_ONCE, i + " " + text);
        }
        for (int i = first; i < first + STEP; i++) {
          assertThat(listener.nextText()).startsWith(i + " ");
        }
      }
      bystander.assertUnaffected();
      Scrape flooded = broker.scrape();
      assertThat(flooded.value("fjordmq_messages_queued_bytes")).isLessThan(1.5 * MIB);
      assertThat(
              flooded.value("fjordmq_netty_direct_bytes")
                  - before.value("fjordmq_netty_direct_bytes"))
          .isLessThan(32 * MIB);
      assertThat(dropped(flooded) - dropped(before)).isGreaterThan(messages / 8.0);
    }
    Await.until(
        "empty queues", 30, () -> broker.scrape().value("fjordmq_messages_queued_bytes") == 0);
  }

  private static double dropped(Scrape scrape) {
    return scrape.value("fjordmq_messages_dropped_total{at=\"session\",reason=\"slow_client\"}")
        + scrape.value("fjordmq_messages_dropped_total{at=\"session\",reason=\"queue_full\"}");
  }

  @Test
  void shouldDisconnectAClientThatSendsAndNeverReads() throws InterruptedException {
    String metric = "fjordmq_connections_closed_total{reason=\"client_too_slow\"}";
    Scrape before = broker.scrape();
    AtomicBoolean ended = new AtomicBoolean();
    try (RawClient neverReading = RawClient.openConnected(broker.mqtt(), 5, "deaf-pinging", 4)) {
      // Stays in the socket buffer after the broker stops reading.
      Thread pings =
          new Thread(
              () -> {
                while (!ended.get()) {
                  neverReading.send("c000".repeat(100));
                }
              },
              "pings");
      pings.start();
      Await.until(
          "the end of a client that does not read",
          60,
          () -> {
            Scrape now = broker.scrape();
            String direct = "fjordmq_netty_direct_bytes";
            assertThat(now.value(direct) - before.value(direct)).isLessThan(16 * MIB);
            return now.value(metric) == before.value(metric) + 1;
          });
      ended.set(true);
      pings.join(TimeUnit.SECONDS.toMillis(10));
      assertThat(pings.isAlive()).isFalse();
    }
  }

  @Test
  void shouldReleaseTheStateOfAThousandClients() {
    bystander.assertUnaffected();
    Scrape before = broker.scrape();
    String subscribe = "820f 0001 00 0009 63726f77642f2f2f61 00"; // crowd///a
    for (int i = 0; i < 1_000; i++) {
      int level = i % 2 == 0 ? 5 : 4;
      try (RawClient client = RawClient.openConnected(broker.mqtt(), level, "crowd-" + i, 60)) {
        if (level == 5) {
          client.send(subscribe);
          assertThat(client.next()).startsWith("90");
        }
        if (i % 4 < 2) {
          client.send("e000");
          assertThat(client.next()).isEqualTo(RawClient.CLOSED);
        }
      }
    }
    for (String gauge :
        List.of(
            "fjordmq_connections",
            "fjordmq_local_filters",
            "fjordmq_local_routes",
            "fjordmq_routes",
            "fjordmq_inboxes",
            "fjordmq_messages_inflight",
            "fjordmq_messages_queued",
            "fjordmq_messages_queued_bytes",
            "fjordmq_mailbox_messages",
            "fjordmq_connections_held_back")) {
      // A lower value is fine: the bystander's last message may have been unacknowledged before.
      Await.until(
          gauge + " no more than before",
          30,
          () -> broker.scrape().value(gauge) <= before.value(gauge));
    }
    Await.until(
        "files closed",
        30,
        () ->
            broker.scrape().value("process_files_open_files")
                < before.value("process_files_open_files") + 20);
    assertThat(broker.scrape().value("jvm_threads_live_threads"))
        .isLessThan(before.value("jvm_threads_live_threads") + 10);
  }

  @Test
  void shouldSurviveRandomBytes() throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(FUZZ_SECONDS);
    List<Throwable> failures = new java.util.concurrent.CopyOnWriteArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Random random = new Random(SEED + i);
      Thread thread = new Thread(() -> fuzz(random, end), "fuzz-" + i);
      thread.setUncaughtExceptionHandler((t, failure) -> failures.add(failure));
      threads.add(thread);
      thread.start();
    }
    while (System.nanoTime() < end) {
      bystander.assertUnaffected();
    }
    for (Thread thread : threads) {
      thread.join(TimeUnit.SECONDS.toMillis(20));
      assertThat(thread.isAlive()).as(thread.getName() + ", seed " + SEED).isFalse();
    }
    assertThat(failures).as("seed " + SEED).isEmpty();
    assertThat(broker.output()).as("seed " + SEED).doesNotContain("ERROR");
  }

  private void fuzz(Random random, long end) {
    for (int round = 0; System.nanoTime() < end; round++) {
      try (RawClient client = new RawClient(broker.mqtt())) {
        if (random.nextInt(4) > 0) {
          int level = random.nextBoolean() ? 4 : 5;
          client.send(
              RawClient.connectPacket(level, Thread.currentThread().getName() + "-" + round, 60));
        }
        for (int packets = random.nextInt(6); packets >= 0; packets--) {
          client.send(randomPacket(random));
        }
      }
    }
  }

  /** A frame with a correct length and plausible content, or random bytes. */
  private static byte[] randomPacket(Random random) {
    byte[] bytes = new byte[2 + random.nextInt(60)];
    random.nextBytes(bytes);
    if (random.nextInt(5) > 0) {
      int type = 1 + random.nextInt(15);
      int flags = type == 6 || type == 8 || type == 10 ? 2 : type == 3 ? random.nextInt(6) : 0;
      bytes[0] = (byte) (type << 4 | flags);
      bytes[1] = (byte) (bytes.length - 2);
      for (int i = 2; i < bytes.length; i++) {
        // Small numbers are plausible lengths, identifiers of properties and letters.
        bytes[i] = (byte) (random.nextInt(3) == 0 ? 'a' + random.nextInt(26) : bytes[i] & 0x0f);
      }
    }
    return bytes;
  }
}
