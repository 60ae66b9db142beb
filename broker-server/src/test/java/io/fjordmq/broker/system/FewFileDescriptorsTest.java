package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.testing.Await;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node with a low {@code ulimit -n} warns, refuses clients early, and recovers. */
@Tag("slow")
class FewFileDescriptorsTest {
  private static final int LIMIT = 512;
  private static final String REFUSED =
      "fjordmq_connections_refused_total{reason=\"no_file_descriptors\"}";

  @TempDir Path directory;

  @Test
  void shouldRefuseClientsBeforeFilesAndProbesRunOut() {
    List<String> limited = List.of("bash", "-c", "ulimit -n " + LIMIT + "; exec \"$@\"", "bash");
    List<RawClient> clients = new ArrayList<>();
    try (BrokerUnderTest broker = BrokerUnderTest.startIn(directory, "", limited)) {
      assertThat(broker.output())
          .contains("open-file limit is lower", "limit=" + LIMIT + " needed");
      assertThat(readiness(broker).status()).isEqualTo(200);

      while (clients.size() < LIMIT && connect(broker, clients)) {
        continue;
      }
      assertThat(clients).hasSizeLessThan(LIMIT);
      assertThat(broker.scrape().value(REFUSED)).isPositive();
      assertThat(readiness(broker).status()).isEqualTo(503);
      assertThat(readiness(broker).body()).contains("file descriptors: ", "128 reserved");
      assertThat(broker.output()).contains("Out of file descriptors; closing new MQTT connections");
      assertThat(clients.get(0).send("c000").next()).as("still connected").isEqualTo("d000");

      clients.forEach(RawClient::close);
      Await.until("readiness", 60, () -> readiness(broker).status() == 200);
      assertThat(broker.output()).contains("File descriptors are available again");
      assertThat(connect(broker, clients)).isTrue();
    } finally {
      clients.forEach(RawClient::close);
    }
  }

  /** Connects one more client; false if the node closed the connection. */
  private static boolean connect(BrokerUnderTest broker, List<RawClient> clients) {
    RawClient client = new RawClient(broker.mqtt());
    clients.add(client);
    return !client
        .send(RawClient.connectPacket(5, "c" + clients.size(), 0))
        .next()
        .equals(RawClient.CLOSED);
  }

  private static Scrape.Response readiness(BrokerUnderTest broker) {
    return Scrape.get(broker.httpPort(), "/readyz");
  }
}
