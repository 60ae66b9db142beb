package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import io.fjordmq.testing.Await;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three nodes with messages and data directories of a newer version. */
@Tag("slow")
class NewerFormatsSystemTest {
  @TempDir Path directory;

  @Test
  void shouldRejectFormatsOfANewerVersion() throws Exception {
    try (ClusterUnderTest cluster = ClusterUnderTest.startIn(directory, 3, "")) {
      for (int i = 0; i < 5; i++) {
        sendHelloAsNewerNode(cluster.node(1).clusterPort() + 1);
      }
      Await.until(
          "the newer node is refused",
          20,
          () ->
              cluster
                  .node(1)
                  .output()
                  .contains("the peer speaks version 3 of the Raft frame format"));
      assertThat(cluster.node(1).output().split("the peer speaks version 3", -1))
          .as("logged once")
          .hasSize(2);
      assertThat(cluster.node(1).output()).contains("upgrade this node").doesNotContain("\tat ");

      BrokerUnderTest third = cluster.node(3);
      assertThat(third.stop()).isZero();
      Path identity = third.nodeDirectory().resolve("data/node.id");
      String known = Files.readString(identity);
      Files.writeString(identity, known.replace("form 1", "form 2"));
      Map<String, Long> before = files(third.nodeDirectory().resolve("data"));
      third.relaunch();
      assertThat(third.awaitEnd()).isEqualTo(1);
      assertThat(third.lastOutput())
          .contains("has format 2, but this version of FjordMQ reads format 1")
          .doesNotContain("\tat ");
      assertThat(files(third.nodeDirectory().resolve("data"))).isEqualTo(before);
      assertServes(cluster.node(1), cluster.node(2));

      Files.writeString(identity, known);
      third.restart();
      assertServes(cluster.node(1), third);
    }
  }

  private static void sendHelloAsNewerNode(int raftPort) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), raftPort)) {
      socket.setSoTimeout(10_000);
      byte[] node = "newer".getBytes(StandardCharsets.US_ASCII);
      DataOutputStream out = new DataOutputStream(socket.getOutputStream());
      out.writeInt(3 + 2 * (1 + node.length));
      out.writeByte(0); // hello
      out.writeByte(3); // the highest version it speaks
      out.writeByte(3); // the lowest
      out.writeByte(node.length);
      out.write(node);
      out.writeByte(node.length);
      out.write(node);
      out.flush();
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(answer).as("reason, then end of stream").contains("this node speaks version 2");
    }
  }

  /** Names and modification times of the data files, without lock files. */
  private static Map<String, Long> files(Path data) throws IOException {
    Map<String, Long> found = new TreeMap<>();
    try (Stream<Path> all = Files.walk(data)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        if (!file.getFileName().toString().endsWith("lock")) {
          found.put(data.relativize(file).toString(), Files.getLastModifiedTime(file).toMillis());
        }
      }
    }
    return found;
  }

  private static void assertServes(BrokerUnderTest one, BrokerUnderTest other) {
    try (Mqtt5Session here = new Mqtt5Session(one.mqtt(), "here");
        Mqtt5Session there = new Mqtt5Session(other.mqtt(), "there")) {
      here.connect();
      there.connect();
      there.subscribe("goes/on", MqttQos.AT_LEAST_ONCE);
      here.publish("goes/on", MqttQos.AT_LEAST_ONCE, "as before");
      assertThat(there.nextText()).isEqualTo("as before");
    }
  }
}
