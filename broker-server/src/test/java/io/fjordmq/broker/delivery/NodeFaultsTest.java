package io.fjordmq.broker.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.dispatch.DeliverySettings;
import io.fjordmq.broker.nodes.NodesSettings;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.TestCluster;
import io.fjordmq.testing.Seeds;
import io.netty.handler.codec.mqtt.MqttMessageType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: every acknowledged message arrives once and in order at every subscription acknowledged
 * before it, whatever happens between the nodes. Method: random clients at random nodes whose
 * replicas lag and whose connections are cut and restored; at the end all faults are repaired.
 */
class NodeFaultsTest {
  private static final int NODES = 3;
  private static final int STEPS = 150;
  private static final List<String> FILTERS = List.of("t/0", "t/1", "t/+");

  @Test
  @Tag(Seeds.TAG)
  void shouldDeliverEveryAcknowledgedMessageOnceAndInOrder() {
    Seeds.withDefaultCount(60).run(seed -> new Run(seed, true).run());
  }

  @Test
  void shouldDetectSubscriptionsAcknowledgedTooEarly() {
    assertThatThrownBy(
            () -> {
              for (long seed = 1; seed <= 60; seed++) {
                new Run(seed, false).run();
              }
            })
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("lost messages");
  }

  /** The subscriptions and messages of one subscriber. */
  private static final class Subscriber {
    final TestClient client;
    final Map<Integer, String> requestedFilters = new HashMap<>();
    final Set<String> grantedFilters = new HashSet<>();
    final Set<String> expected = new HashSet<>();
    final List<String> received = new ArrayList<>();

    Subscriber(TestClient client) {
      this.client = client;
    }

    boolean isGranted(String topic) {
      return grantedFilters.contains(topic) || grantedFilters.contains("t/+");
    }

    void read() {
      for (String packet : client.readAll()) {
        String[] words = packet.split(" ");
        if (words[0].equals("SUBACK")) {
          grantedFilters.add(requestedFilters.get(Integer.valueOf(words[1])));
        } else if (words[0].equals("PUBLISH")) {
          received.add(words[words.length - 1]);
          client.reply(MqttMessageType.PUBACK, Integer.parseInt(words[2].substring(3)));
        }
      }
    }
  }

  private static final class Run {
    private final long seed;
    private final Random random;
    private final TestCluster cluster;
    private final List<Subscriber> subscribers = new ArrayList<>();
    private final List<TestClient> publishers = new ArrayList<>();
    private final int[] published = new int[NODES];
    private int subscribes;

    Run(long seed, boolean waits) {
      this.seed = seed;
      this.random = new Random(seed);
      this.cluster =
          new TestCluster(NODES, NodesSettings.DEFAULTS, DeliverySettings.DEFAULTS, waits);
    }

    void run() {
      try (cluster) {
        for (int i = 0; i < NODES; i++) {
          publishers.add(cluster.node(i).connect("p" + i));
          subscribers.add(new Subscriber(cluster.node(i).connect("live" + i)));
          subscribers.add(new Subscriber(cluster.node(i).connectPersistent("kept" + i)));
        }
        for (int step = 0; step < STEPS; step++) {
          step();
          subscribers.forEach(Subscriber::read);
        }
        recover();
        check();
      }
    }

    private void step() {
      int dice = random.nextInt(100);
      if (dice < 50) {
        publish(random.nextInt(NODES), "t/" + random.nextInt(2));
      } else if (dice < 70) {
        subscribe(subscribers.get(random.nextInt(subscribers.size())));
      } else if (dice < 78) {
        int one = random.nextInt(NODES);
        cluster.cut(one, (one + 1) % NODES);
      } else if (dice < 86) {
        cluster.heal();
      } else if (dice < 93) {
        cluster.pauseRouteApply(1 + random.nextInt(NODES - 1));
      } else {
        cluster.resumeRouteApply(1 + random.nextInt(NODES - 1));
      }
    }

    private void publish(int node, String topic) {
      String payload = node + ":" + ++published[node];
      for (Subscriber subscriber : subscribers) {
        if (subscriber.isGranted(topic)) {
          subscriber.expected.add(payload);
        }
      }
      publishers.get(node).publish(published[node], 1, topic, payload);
    }

    private void subscribe(Subscriber subscriber) {
      String filter = FILTERS.get(random.nextInt(FILTERS.size()));
      subscriber.requestedFilters.put(++subscribes, filter);
      subscriber.client.subscribe(subscribes, filter, 1);
    }

    private void recover() {
      for (int i = 1; i < NODES; i++) {
        cluster.resumeRouteApply(i);
      }
      for (int round = 0; round < 3; round++) {
        cluster.heal();
        cluster.advanceTime(Duration.ofSeconds(1));
        subscribers.forEach(Subscriber::read);
      }
    }

    private void check() {
      for (int i = 0; i < NODES; i++) {
        assertThat(publishers.get(i).readAll())
            .as("seed %d: answers to publisher %d", seed, i)
            .hasSize(published[i]);
      }
      for (Subscriber subscriber : subscribers) {
        assertThat(subscriber.received)
            .as("seed %d: lost messages", seed)
            .containsAll(subscriber.expected);
        assertThat(subscriber.received).as("seed %d: no duplicates", seed).doesNotHaveDuplicates();
        for (int i = 0; i < NODES; i++) {
          String publisher = i + ":";
          assertThat(
                  subscriber.received.stream()
                      .filter(payload -> payload.startsWith(publisher))
                      .map(payload -> Integer.valueOf(payload.substring(2))))
              .as("seed %d: order of publisher %d", seed, i)
              .isSorted();
        }
      }
    }
  }
}
