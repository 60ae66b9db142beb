package io.fjordmq.broker.system;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import com.hivemq.client.mqtt.mqtt5.message.connect.Mqtt5Connect;
import com.hivemq.client.mqtt.mqtt5.message.connect.Mqtt5ConnectBuilder;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAck;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5Disconnect;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5PublishBuilder;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5PublishResult;
import com.hivemq.client.mqtt.mqtt5.message.subscribe.Mqtt5Subscription;
import com.hivemq.client.mqtt.mqtt5.message.subscribe.Mqtt5SubscriptionBuilder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The HiveMQ client, MQTT 5, that queues received messages. Every wait has a timeout. */
final class Mqtt5Session implements AutoCloseable {
  static final int WAIT_SECONDS = 60;

  private final Mqtt5AsyncClient client;
  private final BlockingQueue<Mqtt5Publish> received = new LinkedBlockingQueue<>();
  private final CompletableFuture<Throwable> disconnected = new CompletableFuture<>();

  Mqtt5Session(SharedBroker.Port port, @Nullable String clientId) {
    var builder =
        Mqtt5Client.builder()
            .serverHost("127.0.0.1")
            .serverPort(port.number())
            .addDisconnectedListener(context -> disconnected.complete(context.getCause()));
    this.client = (clientId == null ? builder : builder.identifier(clientId)).buildAsync();
    client.publishes(
        com.hivemq.client.mqtt.MqttGlobalPublishFilter.ALL, publish -> received.add(publish));
  }

  Mqtt5AsyncClient client() {
    return client;
  }

  Mqtt5ConnAck connect() {
    return connect(connect -> connect);
  }

  Mqtt5ConnAck connect(UnaryOperator<Mqtt5ConnectBuilder> options) {
    return await(client.connect(options.apply(Mqtt5Connect.builder()).build()));
  }

  void subscribe(String filter, MqttQos qos) {
    subscribe(filter, qos, subscription -> subscription);
  }

  void subscribe(
      String filter, MqttQos qos, UnaryOperator<Mqtt5SubscriptionBuilder.Complete> options) {
    Mqtt5Subscription subscription =
        options.apply(Mqtt5Subscription.builder().topicFilter(filter).qos(qos)).build();
    await(client.subscribeWith().addSubscription(subscription).send());
  }

  Mqtt5PublishResult publish(String topic, MqttQos qos, String payload) {
    return publish(topic, qos, payload, publish -> publish);
  }

  Mqtt5PublishResult publish(
      String topic,
      MqttQos qos,
      String payload,
      UnaryOperator<Mqtt5PublishBuilder.Complete> options) {
    Mqtt5Publish publish =
        options
            .apply(
                Mqtt5Publish.builder()
                    .topic(topic)
                    .qos(qos)
                    .payload(payload.getBytes(StandardCharsets.UTF_8)))
            .build();
    return await(client.publish(publish));
  }

  /** Publishes without waiting for the answer. */
  CompletableFuture<Mqtt5PublishResult> publishLater(String topic, MqttQos qos, String payload) {
    return client
        .publishWith()
        .topic(topic)
        .qos(qos)
        .payload(payload.getBytes(StandardCharsets.UTF_8))
        .send();
  }

  /** The next message; fails if none comes. */
  Mqtt5Publish next() {
    Mqtt5Publish publish = poll(WAIT_SECONDS * 1000L);
    if (publish == null) {
      throw new AssertionError("no message within " + WAIT_SECONDS + " s");
    }
    return publish;
  }

  String nextText() {
    return text(next());
  }

  /** Number of received messages that have not been read yet. */
  int queuedMessages() {
    return received.size();
  }

  /** The next message within this time; null if none arrives. */
  @Nullable Mqtt5Publish poll(long millis) {
    try {
      return received.poll(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Why the connection ended; waits for it. */
  Throwable disconnectCause() {
    return await(disconnected);
  }

  void disconnect() {
    disconnect(Mqtt5Disconnect.builder().build());
  }

  void disconnect(Mqtt5Disconnect disconnect) {
    await(client.disconnect(disconnect));
  }

  static String text(Mqtt5Publish publish) {
    return new String(publish.getPayloadAsBytes(), StandardCharsets.UTF_8);
  }

  static <T> T await(CompletableFuture<T> future) {
    try {
      return future.get(WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new AssertionError("the client did not get the expected response", e);
    }
  }

  /** Disconnects if connected and waits for it: afterwards nothing more is acknowledged. */
  void disconnectIfConnected() {
    await(client.disconnect().handle((none, gone) -> true));
  }

  @Override
  public void close() {
    if (client.getState().isConnected()) {
      client.disconnect();
    }
  }
}
