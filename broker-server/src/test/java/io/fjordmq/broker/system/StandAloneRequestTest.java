package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import io.fjordmq.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node whose only other voter is lost can continue alone and then get new voters. */
@Tag("slow")
class StandAloneRequestTest {
  private static final long TIMEOUT_SECONDS = 120;
  private static final long NEVER = 0xFFFF_FFFFL;

  @TempDir Path directory;

  @Test
  void shouldKeepItsDataWhenTheOtherVoterOfAllRangesIsLost() throws Exception {
    List<NodeFile> files = ClusterUnderTest.files(3, "");
    try (BrokerUnderTest kept = launch("kept", files.get(0));
        BrokerUnderTest lost = launch("lost", files.get(1))) {
      kept.awaitListening();
      lost.awaitListening();
      kept.command("voters dist=2 inbox=2 retain=2");
      awaitVotesOf(lost, kept);
      storeMessage(kept);
      String id = idOf(lost);
      lost.kill();
      kept.kill();

      requestAlone(kept);
      kept.relaunch();
      kept.awaitListening();
      receiveMessage(kept);
      assertThat(kept.command("remove-node " + id)).contains("removed node " + id);
      assertThat(kept.nodeDirectory().resolve("data/alone")).doesNotExist();

      try (BrokerUnderTest next = launch("next", files.get(2))) {
        next.awaitListening();
        awaitVotesOf(next, kept);
        StatusRanges.at(kept).assertComplete();
      }
    }
  }

  @Test
  void shouldRefuseToContinueAloneWhileAnotherNodeResponds() throws Exception {
    try (ClusterUnderTest cluster = ClusterUnderTest.startIn(directory, 2, "")) {
      cluster.node(1).kill();
      requestAlone(cluster.node(1));
      cluster.node(1).relaunch();
      assertThat(cluster.node(1).awaitEnd()).isEqualTo(1);
      assertThat(cluster.node(1).output())
          .contains("is running at 127.0.0.1:" + cluster.node(2).clusterPort())
          .contains("without --alone");
    }
  }

  private BrokerUnderTest launch(String name, NodeFile file) {
    return BrokerUnderTest.launchIn(directory.resolve(name), file);
  }

  /** Equivalent of {@code bin/standalone.sh start --alone}. */
  private static void requestAlone(BrokerUnderTest node) throws IOException {
    Files.createFile(node.nodeDirectory().resolve("data/alone"));
  }

  private static String idOf(BrokerUnderTest node) throws IOException {
    return Files.readAllLines(node.nodeDirectory().resolve("data/node.id")).stream()
        .filter(line -> line.startsWith("node "))
        .map(line -> line.substring("node ".length()))
        .findFirst()
        .orElseThrow();
  }

  private static void awaitVotesOf(BrokerUnderTest node, BrokerUnderTest asked) throws IOException {
    String id = idOf(node);
    Await.until(
        "every range to have a vote at " + id,
        TIMEOUT_SECONDS,
        () -> {
          List<String> voters =
              Scrape.get(asked.httpPort(), "/status")
                  .body()
                  .lines()
                  .filter(line -> line.startsWith("range "))
                  .map(line -> line.replaceAll(".*  voters (.*?)  (learners|keys) .*", "$1"))
                  .toList();
          return !voters.isEmpty() && voters.stream().allMatch(line -> line.contains(id));
        });
  }

  private static void storeMessage(BrokerUnderTest node) {
    try (Mqtt5Session away = new Mqtt5Session(node.mqtt(), "away");
        Mqtt5Session publisher = new Mqtt5Session(node.mqtt(), "publisher")) {
      away.connect(options -> options.cleanStart(false).sessionExpiryInterval(NEVER));
      away.subscribe("kept", MqttQos.AT_LEAST_ONCE);
      away.disconnect();
      publisher.connect();
      publisher.publish("kept", MqttQos.AT_LEAST_ONCE, "acknowledged");
    }
  }

  private static void receiveMessage(BrokerUnderTest node) {
    try (Mqtt5Session back = new Mqtt5Session(node.mqtt(), "away")) {
      back.connect(options -> options.cleanStart(false).sessionExpiryInterval(NEVER));
      assertThat(back.nextText()).isEqualTo("acknowledged");
    }
  }
}
