package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5DisconnectException;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5Disconnect;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5DisconnectReasonCode;
import io.fjordmq.cluster.tls.ClusterTls;
import io.fjordmq.cluster.tls.TestAuthority;
import io.fjordmq.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which nodes may join a cluster, and how a node leaves it. */
@Tag("slow")
class ClusterAccessTest {
  @TempDir Path directory;

  /** Lines of clusterConfig, which is the last section of a {@link NodeFile}. */
  private static String lines(ClusterTls tls) {
    return """
          certFile: %s
          keyFile: %s
          trustFile: %s
        """
        .formatted(tls.certFile(), tls.keyFile(), tls.trustFile());
  }

  @Test
  void shouldAdmitOnlyNodesWithAClusterCertificate() throws Exception {
    TestAuthority authority = new TestAuthority(directory.resolve("ours"));
    TestAuthority otherAuthority = new TestAuthority(directory.resolve("theirs"));
    String member = lines(authority.node("member"));
    try (ClusterUnderTest cluster = ClusterUnderTest.startIn(directory, 2, member)) {
      try (Mqtt5Session here = new Mqtt5Session(cluster.node(1).mqtt(), "here");
          Mqtt5Session there = new Mqtt5Session(cluster.node(2).mqtt(), "there")) {
        here.connect();
        there.connect();
        there.subscribe("guarded", MqttQos.AT_LEAST_ONCE);
        here.publish("guarded", MqttQos.AT_LEAST_ONCE, "among us");
        assertThat(there.nextText()).isEqualTo("among us");
      }
      NodeFile stranger =
          NodeFile.standalone("")
              .withBootstrap(false)
              .withSeeds("127.0.0.1:" + cluster.node(1).clusterPort());
      assertRejected("plain", stranger);
      assertRejected(
          "forged", stranger.with(lines(authority.nodeCertifiedBy(otherAuthority, "stranger"))));
      String nodes = Scrape.get(cluster.node(1).httpPort(), "/status").body();
      assertThat(nodes.lines().filter(line -> line.startsWith("node "))).hasSize(2);
    }
  }

  private void assertRejected(String name, NodeFile file) {
    try (BrokerUnderTest stranger = BrokerUnderTest.launchIn(directory.resolve(name), file)) {
      Await.until(
          "that nobody answers the stranger " + name,
          60,
          () -> stranger.output().contains("No seed responded"));
      assertThat(stranger.output()).doesNotContain("action=join");
      stranger.kill();
    }
  }

  @Test
  void shouldTransferLeadershipAndClientsBeforeItStops() throws Exception {
    String reference = "  serverReference: other.example:1883\n";
    try (ClusterUnderTest cluster = ClusterUnderTest.startIn(directory, 3, reference)) {
      BrokerUnderTest leaving = cluster.node(1);
      Mqtt5Session client = new Mqtt5Session(leaving.mqtt(), "sent away");
      client.connect();
      Files.createFile(leaving.nodeDirectory().resolve("data/drain"));
      assertThat(leaving.stop()).isZero();
      assertThat(client.disconnectCause())
          .isInstanceOfSatisfying(
              Mqtt5DisconnectException.class,
              disconnect -> {
                Mqtt5Disconnect last = (Mqtt5Disconnect) disconnect.getMqttMessage();
                assertThat(last.getReasonCode())
                    .isEqualTo(Mqtt5DisconnectReasonCode.USE_ANOTHER_SERVER);
                assertThat(last.getServerReference().orElseThrow().toString())
                    .isEqualTo("other.example:1883");
              });
      assertThat(leaving.output()).contains("Drain finished ledRanges=0 clients=0");
      try (Mqtt5Session next = new Mqtt5Session(cluster.node(2).mqtt(), "sent away")) {
        next.connect();
        next.subscribe("goes/on", MqttQos.AT_LEAST_ONCE);
        next.publish("goes/on", MqttQos.AT_LEAST_ONCE, "at once");
        assertThat(next.nextText()).isEqualTo("at once");
      }
    }
  }
}
