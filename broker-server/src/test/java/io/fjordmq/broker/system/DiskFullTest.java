package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5PublishResult;
import io.fjordmq.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A full disk: messages that cannot be made durable are not acknowledged, health and metrics keep
 * responding, QoS 0 between connected clients continues, and with free space the node recovers by
 * itself, in order and without losing acknowledged messages. If the disk fails permanently
 * (simulated by a file size limit of the process), a restart recovers everything.
 */
@Tag("slow")
class DiskFullTest {
  private static final int MAX_FILE_BYTES = 8 << 20;
  private static final int PAYLOAD = 8_000;
  private static final int IN_FLIGHT = 20;
  private static final int MAX_MESSAGES = 6_000; // several times the number the limit admits
  private static final int ANSWER_SECONDS = 60;
  private static final int ROOM_MEGABYTES = 160;

  /** Small buffers, which take little of the disk in advance. */
  private static final String SMALL_FILES =
      """
      consensusConfig:
        log:
          memtableBytes: 1 MiB
          maxWalBytes: 8 MiB
      """;

  /** No rate limits, and short timeouts when the disk is full. */
  private static final String FAST_REFUSAL =
      """
      sessionConfig:
        readBytesPerSecond: 0
        writeBytesPerSecond: 0
      rangeClientConfig:
        deadline: 6 s
        attemptTimeout: 2 s
      """;

  @TempDir Path directory;

  @Test
  void shouldAcknowledgeOnlyStoredMessagesAndRecoverWithFreeSpace() {
    assumeThat(Path.of("/usr/bin/prlimit")).as("limits a running process").exists();
    try (BrokerUnderTest broker = BrokerUnderTest.startIn(directory, FAST_REFUSAL, List.of())) {
      createOfflineSession(broker);
      List<Integer> acknowledged;
      try (Mqtt5Session listener = new Mqtt5Session(broker.mqtt(), "listener")) {
        listener.connect();
        listener.subscribe("live", MqttQos.AT_MOST_ONCE);
        limitFiles(broker);
        acknowledged = publishUntilRefused(broker);
        assertThat(acknowledged).hasSizeBetween(100, MAX_MESSAGES - 1);
        assertReportsFullDisk(broker);
        listener.publish("live", MqttQos.AT_MOST_ONCE, "still delivered");
        assertThat(listener.nextText()).isEqualTo("still delivered");
      }
      broker.kill();
      broker.restart();
      assertThat(Scrape.get(broker.httpPort(), "/readyz").status()).isEqualTo(200);
      assertThat(fetchQueued(broker, acknowledged.size())).containsAll(acknowledged).isSorted();
      try (Bystander bystander = new Bystander(broker.mqtt())) {
        bystander.assertUnaffected();
      }
    }
  }

  @Test
  void shouldRecoverByItselfWhenTheStateHasSpaceAgain() throws IOException {
    assertRecovers("/node/data/state", "rangeConfig:\n  checkpointLogBytes: 1 MiB\n");
  }

  @Test
  void shouldRecoverByItselfWhenTheLogHasSpaceAgain() throws IOException {
    assertRecovers("/node/data/log", SMALL_FILES + "rangeConfig:\n  checkpointLogBytes: 1 GiB\n");
  }

  /**
   * @param fullFirst the storage that finds no space first
   * @param settings that make it so
   */
  private void assertRecovers(String fullFirst, String settings) throws IOException {
    SmallDisk disk = smallDisk();
    String unguarded = FAST_REFUSAL + "diskConfig:\n  minFreeBytes: 0\n" + settings;
    try (BrokerUnderTest broker = BrokerUnderTest.startIn(directory, unguarded, disk.wrapper())) {
      createOfflineSession(broker);
      disk.fill(broker.pid());
      List<Integer> acknowledged = new ArrayList<>(publishUntilRefused(broker));
      awaitNotReady(broker, fullFirst, "No space left", "disk space");
      disk.free(broker.pid());
      awaitReady(broker);
      try (Mqtt5Session publisher = new Mqtt5Session(broker.mqtt(), "publisher")) {
        publisher.connect();
        publisher.publish("full", MqttQos.AT_LEAST_ONCE, MAX_MESSAGES + " after");
        acknowledged.add(MAX_MESSAGES);
      }
      // Some unacknowledged messages may be stored, too.
      assertThat(fetchQueuedUntil(broker, MAX_MESSAGES)).containsAll(acknowledged).isSorted();
      assertThat(linesWith(broker, "rejects writes")).isEqualTo(1);
      assertThat(linesWith(broker, "accepts writes again")).isEqualTo(1);
      assertThat(linesWith(broker, "Failed to save term and vote"))
          .as("elections without a log")
          .isZero();
    }
  }

  @Test
  void shouldRefuseMessagesToBeStoredBeforeTheDiskIsFull() throws IOException {
    SmallDisk disk = smallDisk();
    String guarded =
        "diskConfig:\n  minFreeBytes: 100 MiB\n  checkInterval: 100 ms\n" + SMALL_FILES;
    try (BrokerUnderTest broker = BrokerUnderTest.startIn(directory, guarded, disk.wrapper());
        Mqtt5Session publisher = new Mqtt5Session(broker.mqtt(), "publisher")) {
      createOfflineSession(broker);
      publisher.connect();
      publisher.publish("full", MqttQos.AT_LEAST_ONCE, "1 before");
      disk.fillExcept(broker.pid(), 60);
      awaitNotReady(broker, "diskConfig.minFreeBytes", "/node/data", "recovers automatically");
      assertThat(broker.scrape().value("fjordmq_disk_low")).isOne();
      assertThat(publisher.publishLater("full", MqttQos.AT_LEAST_ONCE, "2 refused"))
          .failsWithin(Duration.ofSeconds(ANSWER_SECONDS));
      assertThat(broker.scrape().value("fjordmq_publishes_total{outcome=\"low_disk_space\"}"))
          .isOne();
      // Fetching and acknowledging stored messages frees space.
      assertThat(fetchQueued(broker, 1)).containsExactly(1);
      disk.free(broker.pid());
      awaitReady(broker);
      publisher.publish("full", MqttQos.AT_LEAST_ONCE, "3 after");
      assertThat(fetchQueued(broker, 1)).containsExactly(3);
    }
  }

  private SmallDisk smallDisk() throws IOException {
    Path data = Files.createDirectories(directory.resolve("node/data"));
    assumeThat(SmallDisk.isPossible(data)).as("this machine allows a small disk").isTrue();
    return new SmallDisk(data, ROOM_MEGABYTES);
  }

  private static void awaitNotReady(BrokerUnderTest broker, String... because) {
    Await.until("not ready", 30, () -> Scrape.get(broker.httpPort(), "/readyz").status() == 503);
    assertThat(Scrape.get(broker.httpPort(), "/readyz").body()).contains(because);
  }

  /** Counts log lines, except those of alarms, which repeat the reason. */
  private static long linesWith(BrokerUnderTest broker, String text) {
    return broker
        .output()
        .lines()
        .filter(line -> line.contains(text) && !line.contains("Alarm activated"))
        .count();
  }

  private static void awaitReady(BrokerUnderTest broker) {
    Await.until("ready", 60, () -> Scrape.get(broker.httpPort(), "/readyz").status() == 200);
  }

  private static void assertReportsFullDisk(BrokerUnderTest broker) {
    Await.until("not ready", 30, () -> Scrape.get(broker.httpPort(), "/readyz").status() == 503);
    assertThat(Scrape.get(broker.httpPort(), "/readyz").body()).contains("range inbox-");
    Scrape scrape = broker.scrape();
    assertThat(scrape.sum("fjordmq_raft_halts_total")).isPositive();
    assertThat(scrape.value("fjordmq_publishes_total{outcome=\"not_durable\"}")).isPositive();
    assertThat(scrape.value("fjordmq_connections_closed_total{reason=\"not_durable\"}"))
        .isPositive();
  }

  /** Lets no file of the process grow any further than the limit. */
  private static void limitFiles(BrokerUnderTest broker) {
    try {
      String limit = "--fsize=" + MAX_FILE_BYTES + ":unlimited";
      Process process =
          new ProcessBuilder("prlimit", "--pid", Long.toString(broker.pid()), limit)
              .inheritIO()
              .start();
      assertThat(process.waitFor(ANSWER_SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isZero();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void createOfflineSession(BrokerUnderTest broker) {
    try (Mqtt5Session away = new Mqtt5Session(broker.mqtt(), "away")) {
      away.connect(connect -> connect.sessionExpiryInterval(3_600));
      away.subscribe("full", MqttQos.AT_LEAST_ONCE);
      away.disconnect();
    }
  }

  /** Numbers of the messages that were acknowledged before the first that was not. */
  private static List<Integer> publishUntilRefused(BrokerUnderTest broker) {
    String padding = " " + "x".repeat(PAYLOAD);
    List<Integer> acknowledged = new ArrayList<>();
    try (Mqtt5Session publisher = new Mqtt5Session(broker.mqtt(), "publisher")) {
      publisher.connect();
      for (int first = 0; first < MAX_MESSAGES; first += IN_FLIGHT) {
        List<CompletableFuture<Mqtt5PublishResult>> responses = new ArrayList<>();
        for (int i = first; i < first + IN_FLIGHT; i++) {
          responses.add(publisher.publishLater("full", MqttQos.AT_LEAST_ONCE, i + padding));
        }
        for (int i = 0; i < responses.size(); i++) {
          if (!isAcknowledged(broker, responses.get(i))) {
            return acknowledged;
          }
          acknowledged.add(first + i);
        }
      }
      return acknowledged;
    }
  }

  /** Checks the HTTP pages while it waits: they respond in every state of the node. */
  private static boolean isAcknowledged(
      BrokerUnderTest broker, CompletableFuture<Mqtt5PublishResult> response) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(ANSWER_SECONDS);
    for (int looks = 0; !response.isDone(); looks++) {
      assertThat(System.nanoTime()).as("neither acknowledged nor refused").isLessThan(deadline);
      Await.pause();
      if (looks % 10 == 9) {
        assertThat(Scrape.get(broker.httpPort(), "/readyz").status()).isIn(200, 503);
        broker.scrape();
      }
    }
    try {
      return response.get().getError().isEmpty();
    } catch (ExecutionException e) {
      return false; // the connection was ended, with reason 0x89
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** This many numbers from the offline session, in order of arrival. */
  private static List<Integer> fetchQueued(BrokerUnderTest broker, int count) {
    return fetchQueued(broker, got -> got.size() == count);
  }

  private static List<Integer> fetchQueuedUntil(BrokerUnderTest broker, int last) {
    return fetchQueued(broker, got -> !got.isEmpty() && got.get(got.size() - 1) == last);
  }

  private static List<Integer> fetchQueued(
      BrokerUnderTest broker, Predicate<List<Integer>> enough) {
    List<Integer> got = new ArrayList<>();
    try (Mqtt5Session away = new Mqtt5Session(broker.mqtt(), "away")) {
      away.connect(connect -> connect.cleanStart(false).sessionExpiryInterval(3_600));
      while (!enough.test(got)) {
        String text = away.nextText();
        got.add(Integer.valueOf(text.substring(0, text.indexOf(' '))));
      }
    }
    return got;
  }
}
