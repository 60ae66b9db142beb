package io.fjordmq.s3;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import io.fjordmq.testing.Await;
import io.fjordmq.testing.Proxy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A backup of a node in S3, restored as a new cluster. */
@Tag("slow")
class S3BackupTest {
  private static final int MESSAGES = 20;
  private static final String URL = "s3://backups/daily/monday";

  @TempDir Path folder;

  @Test
  void shouldRestoreWhatWasBackedUp() throws IOException, InterruptedException {
    try (LocalS3 s3 = LocalS3.start(folder, Map.of())) {
      String request = request(s3.server().endpoint().toString(), 0);
      try (TestNode original = TestNode.start(folder.resolve("original"))) {
        store(original);
        assertThat(original.backUp(request)).contains("\"done\"").contains(URL);
        assertThat(original.backUp(request)).contains(URL + " is not empty");
        assertThat(original.backUp(request.replace("s3://backups", "s3://missing")))
            .contains("the bucket missing does not exist; create it");
      }
      assertThat(s3.keys("daily/")).contains("daily/monday/MANIFEST");
      assertThat(s3.openUploads("daily/")).isZero();

      Path restored = folder.resolve("restored");
      assertThat(task(s3, restored, "--verify-backup", URL)).contains("complete and undamaged");
      assertThat(task(s3, restored, "--show-backup", URL)).contains("directory  " + URL);
      String file = folder.resolve("original/standalone.yml").toString();
      String data = restored.resolve("node").toString();
      assertThat(task(s3, restored, "--restore", URL, "-c", file, "-d", data))
          .contains("start it now");
      assertThat(restored.resolve("node/data/restore-files/MANIFEST")).exists();
      try (TestNode node = TestNode.start(restored)) {
        assertRestored(node);
      }
      assertThat(restored.resolve("node/data/restore-files")).doesNotExist();
    }
  }

  @Test
  void shouldLeaveNoManifestIfTheServerIsLostDuringTheBackup()
      throws IOException, InterruptedException {
    try (LocalS3 s3 = LocalS3.start(folder, Map.of());
        Proxy proxy = new Proxy(s3.server().address());
        TestNode node = TestNode.start(folder.resolve("node"))) {
      store(node);
      String endpoint = "http://127.0.0.1:" + proxy.address().getPort();
      assertThat(node.api("POST", "/backup", request(endpoint, 2_000))).contains("\"running\"");
      Await.until("the first file", 60, () -> !s3.keys("daily/").isEmpty());
      assertThat(node.status()).contains("\"running\"");
      proxy.close();
      Await.until("the end of the backup", 60, () -> !node.status().contains("\"running\""));
      assertThat(node.status())
          .contains("\"failed\"")
          .contains("cannot write " + URL + "/")
          .contains("at " + endpoint)
          .contains("check the endpoint, the network and the service");
      assertThat(s3.keys("daily/")).isNotEmpty().doesNotContain("daily/monday/MANIFEST");
      assertThat(task(s3, folder.resolve("new"), "--verify-backup", URL))
          .contains("the backup in " + URL + " is incomplete")
          .endsWith("exit code 1");
    }
  }

  private static String request(String endpoint, int bytesPerSecond) {
    return "{\"directory\":\"%s\",\"s3_endpoint\":\"%s\",\"bytes_per_second\":%d}"
        .formatted(URL, endpoint, bytesPerSecond);
  }

  private static String task(LocalS3 s3, Path directory, String... arguments)
      throws IOException, InterruptedException {
    Map<String, String> environment = new HashMap<>(TestNode.ENVIRONMENT);
    environment.put("AWS_ENDPOINT_URL_S3", s3.server().endpoint().toString());
    return TestNode.run(directory, environment, List.of(arguments));
  }

  private static void store(TestNode node) {
    Mqtt5BlockingClient away = node.client("away");
    connect(away);
    away.subscribeWith().topicFilter("kept/#").qos(MqttQos.EXACTLY_ONCE).send();
    away.disconnect();
    Mqtt5BlockingClient publisher = node.client("publisher");
    publisher.connect();
    for (int number = 0; number < MESSAGES; number++) {
      for (String topic : List.of("kept/", "retained/")) {
        publisher
            .publishWith()
            .topic(topic + number)
            .qos(MqttQos.AT_LEAST_ONCE)
            .retain(topic.startsWith("r"))
            .payload(payload(number))
            .send();
      }
    }
    publisher.disconnect();
  }

  /** A kilobyte, so that a backup with a limited rate takes seconds. */
  private static byte[] payload(int number) {
    return (number + " ".repeat(1_000)).getBytes(UTF_8);
  }

  private static void connect(Mqtt5BlockingClient client) {
    client.connectWith().cleanStart(false).sessionExpiryInterval(36_000).send();
  }

  private static void assertRestored(TestNode node) throws InterruptedException {
    List<String> expected = new ArrayList<>();
    for (int number = 0; number < MESSAGES; number++) {
      expected.add(Integer.toString(number));
    }
    Mqtt5BlockingClient away = node.client("away");
    try (Mqtt5BlockingClient.Mqtt5Publishes queued = away.publishes(MqttGlobalPublishFilter.ALL)) {
      connect(away);
      assertThat(receive(queued)).isEqualTo(expected);
    }
    away.disconnect();
    Mqtt5BlockingClient reader = node.client("reader");
    try (Mqtt5BlockingClient.Mqtt5Publishes retained =
        reader.publishes(MqttGlobalPublishFilter.ALL)) {
      reader.connect();
      reader.subscribeWith().topicFilter("retained/#").qos(MqttQos.AT_LEAST_ONCE).send();
      assertThat(receive(retained)).containsExactlyInAnyOrderElementsOf(expected);
    }
    reader.disconnect();
  }

  private static List<String> receive(Mqtt5BlockingClient.Mqtt5Publishes publishes)
      throws InterruptedException {
    List<String> received = new ArrayList<>();
    while (received.size() < MESSAGES) {
      Optional<Mqtt5Publish> next = publishes.receive(30, TimeUnit.SECONDS);
      assertThat(next).isPresent();
      received.add(new String(next.get().getPayloadAsBytes(), UTF_8).strip());
    }
    return received;
  }
}
