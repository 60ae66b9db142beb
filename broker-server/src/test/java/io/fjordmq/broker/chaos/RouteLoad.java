package io.fjordmq.broker.chaos;

import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import com.hivemq.client.mqtt.mqtt5.message.subscribe.Mqtt5Subscription;
import io.fjordmq.broker.chaos.HistoryEvent.Step;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Many subscriptions of a few clients with persistent sessions, which exist while nodes are
 * restarted. At the end, a message to a sample of them must arrive.
 */
final class RouteLoad {
  /** Below the broker's limit for one session. */
  private static final int FILTERS_PER_CLIENT = 9_000;

  private static final int FILTERS_PER_PACKET = 500;
  private static final int SAMPLES = 200;
  private static final int MAX_MISSED = 3;
  private static final long TIMEOUT_SECONDS = 30;

  /** The node that resumes a session adds a route for each of its filters before CONNACK. */
  private static final int CONNACK_SECONDS = 60;

  /** After the last fault all clients may have to resume at once, some of them repeatedly. */
  private static final long RESUME_SECONDS = 600;

  private static final String NAME = "routes";

  private final int routes;
  private final History history;
  private final List<ChaosClient> clients = new ArrayList<>();
  private final ChaosClient publisher;
  private volatile CompletableFuture<Void> received = new CompletableFuture<>();

  /**
   * @param routes number of subscriptions, each with its own filter
   */
  RouteLoad(int routes, int nodes, History history) {
    this.routes = routes;
    this.history = history;
    for (int first = 0; first < routes; first += FILTERS_PER_CLIENT) {
      int number = clients.size();
      int home = 1 + number % nodes;
      ChaosClient client = new ChaosClient(NAME + number, nodes, home, history, CONNACK_SECONDS);
      client.mqtt().publishes(MqttGlobalPublishFilter.ALL, this::onPublish);
      clients.add(client);
    }
    this.publisher = new ChaosClient(NAME + "-publisher", nodes, 1, history);
  }

  private void onPublish(Mqtt5Publish publish) {
    record(Step.HEARD, Integer.parseInt(publish.getTopic().getLevels().get(1)));
    received.complete(null);
  }

  private void record(Step step, int number) {
    history.add(millis -> new HistoryEvent.Live(millis, step, NAME, number));
  }

  /** Connects all clients and creates all subscriptions. */
  void start() {
    publisher.connect(true);
    int first = 0;
    for (ChaosClient client : clients) {
      client.connect(true);
      int end = Math.min(routes, first + FILTERS_PER_CLIENT);
      for (; first < end; first += FILTERS_PER_PACKET) {
        subscribe(client, first, Math.min(end, first + FILTERS_PER_PACKET));
      }
    }
    history.note(routes + " routes are held by " + clients.size() + " clients");
  }

  private static void subscribe(ChaosClient client, int from, int to) {
    List<Mqtt5Subscription> packet = new ArrayList<>();
    for (int route = from; route < to; route++) {
      packet.add(
          Mqtt5Subscription.builder()
              .topicFilter("routes/" + route + "/+")
              .qos(MqttQos.AT_LEAST_ONCE)
              .build());
    }
    ChaosClient.await(
        "subscribing to " + (to - from) + " filters",
        client.mqtt().subscribeWith().addSubscriptions(packet).send());
  }

  /**
   * Waits until all clients have resumed their sessions, then checks a seeded sample of the
   * subscriptions one by one.
   */
  void check(long seed) {
    awaitConnected();
    Random random = new Random(seed);
    int missed = 0;
    for (int sample = 0; sample < SAMPLES && missed < MAX_MISSED; sample++) {
      int route = random.nextInt(routes);
      received = new CompletableFuture<>();
      record(Step.SUBSCRIBED, route);
      publish(route);
      record(Step.PROBED, route);
      if (!awaitReceived()) {
        record(Step.UNHEARD, route);
        missed++;
      }
    }
  }

  private void awaitConnected() {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(RESUME_SECONDS);
    while (!clients.stream().allMatch(client -> client.mqtt().getState().isConnected())) {
      if (System.nanoTime() > end) {
        throw new IllegalStateException(
            "some clients with many subscriptions did not resume their sessions within "
                + RESUME_SECONDS
                + " s");
      }
      ChaosCluster.pause(100);
    }
  }

  private void publish(int route) {
    ChaosClient.await(
        "publishing to route " + route,
        publisher
            .mqtt()
            .publishWith()
            .topic("routes/" + route + "/x")
            .qos(MqttQos.AT_LEAST_ONCE)
            .payload("x".getBytes(StandardCharsets.UTF_8))
            .send());
  }

  private boolean awaitReceived() {
    try {
      received.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  void close() {
    clients.forEach(ChaosClient::leave);
    publisher.leave();
  }
}
