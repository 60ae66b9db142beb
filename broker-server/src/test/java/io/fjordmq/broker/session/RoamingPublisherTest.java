package io.fjordmq.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.TestCluster;
import io.fjordmq.testing.Seeds;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: QoS 2 is exactly once for transient subscribers and for shares with stable members, at
 * whichever node a publisher repeats a message. Method: one publisher moves between nodes before it
 * has read its acknowledgements, while connections between nodes are cut and restored.
 */
class RoamingPublisherTest {
  private static final int NODES = 3;
  private static final int STEPS = 120;
  private static final int MAX_INFLIGHT = 4;

  @Test
  @Tag(Seeds.TAG)
  void shouldDeliverQos2OnceWhenAPublisherRepeatsAtOtherNodes() {
    Seeds.withDefaultCount(60).run(seed -> new Run(seed).run());
  }

  private static final class Run {
    private final long seed;
    private final Random random;
    private final TestCluster cluster = new TestCluster(NODES);
    private final List<TestClient> subscribers = new ArrayList<>();
    private final List<TestClient> shareMembers = new ArrayList<>();
    private final List<List<String>> received = new ArrayList<>();
    private final List<String> receivedByShare = new ArrayList<>();
    private final List<String> published = new ArrayList<>();

    /** Payloads by packet identifier; empty once PUBREL was sent. */
    private final Map<Integer, String> inflight = new LinkedHashMap<>();

    private TestClient publisher;

    Run(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
      for (int i = 0; i < NODES; i++) {
        subscribers.add(cluster.node(i).connect("s" + i).subscribe(1, "t", 2));
        shareMembers.add(cluster.node(i).connect("m" + i).subscribe(1, "$share/g/t", 2));
        received.add(new ArrayList<>());
      }
      publisher = cluster.node(0).connectPersistent("p");
    }

    void run() {
      try (cluster) {
        for (int step = 0; step < STEPS; step++) {
          step();
          readSubscribers();
        }
        for (int round = 0; round < 10 && !inflight.isEmpty(); round++) {
          cluster.heal();
          readAnswers();
          readSubscribers();
        }
        cluster.advanceTime(Duration.ofSeconds(1));
        readSubscribers();
        assertThat(inflight).as("seed %d: answered", seed).isEmpty();
        for (List<String> its : received) {
          assertThat(its).as("seed %d", seed).isEqualTo(published);
        }
        assertThat(receivedByShare)
            .as("seed %d", seed)
            .containsExactlyInAnyOrderElementsOf(published);
      }
    }

    private void step() {
      int dice = random.nextInt(100);
      if (dice < 40) {
        publish();
      } else if (dice < 65) {
        readAnswers();
      } else if (dice < 80) {
        moveTo(random.nextInt(NODES));
      } else if (dice < 90) {
        int one = random.nextInt(NODES);
        cluster.cut(one, (one + 1) % NODES);
      } else {
        cluster.heal();
      }
    }

    private void publish() {
      if (inflight.size() == MAX_INFLIGHT) {
        return;
      }
      int id = 1;
      while (inflight.containsKey(id)) {
        id++;
      }
      String payload = "m" + published.size();
      published.add(payload);
      inflight.put(id, payload);
      publisher.publish(id, 2, "t", payload);
    }

    private void readAnswers() {
      for (String packet : publisher.readAll()) {
        String[] words = packet.split(" ");
        if (words[0].equals("PUBREC")) {
          assertThat(words).as("seed %d: %s", seed, packet).hasSize(2);
          int id = Integer.parseInt(words[1]);
          inflight.put(id, "");
          publisher.reply(MqttMessageType.PUBREL, id);
        } else if (words[0].equals("PUBCOMP")) {
          inflight.remove(Integer.valueOf(words[1]));
        }
      }
    }

    /** Unread acknowledgements of the previous node are lost. */
    private void moveTo(int node) {
      publisher = cluster.node(node).connectPersistent("p");
      inflight.forEach(
          (id, payload) -> {
            if (payload.isEmpty()) {
              publisher.reply(MqttMessageType.PUBREL, id);
            } else {
              publisher.publish(id, 2, "t", payload, false, true, MqttProperties.NO_PROPERTIES);
            }
          });
    }

    private void readSubscribers() {
      for (int i = 0; i < NODES; i++) {
        read(subscribers.get(i), received.get(i));
        read(shareMembers.get(i), receivedByShare);
      }
    }

    private static void read(TestClient client, List<String> into) {
      for (String packet : client.readAll()) {
        String[] words = packet.split(" ");
        if (words[0].equals("PUBLISH")) {
          into.add(words[words.length - 1]);
          client.reply(MqttMessageType.PUBREC, Integer.parseInt(words[2].substring(3)));
        } else if (words[0].equals("PUBREL")) {
          client.reply(MqttMessageType.PUBCOMP, Integer.parseInt(words[1]));
        }
      }
    }
  }
}
