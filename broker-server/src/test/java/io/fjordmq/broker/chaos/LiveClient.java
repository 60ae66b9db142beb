package io.fjordmq.broker.chaos;

import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.lifecycle.MqttClientDisconnectedContext;
import com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A client of one node whose session ends with its connection. It reconnects to the same node until
 * it is closed and does not resubscribe by itself. Writes its connections to the history.
 */
final class LiveClient {
  private static final int KEEP_ALIVE_SECONDS = 3;
  private static final int PAUSE_MILLIS = 200;

  private final String name;
  private final int node;
  private final History history;
  private final Runnable onConnected;
  private final Consumer<Mqtt5Publish> consumer;
  private volatile Mqtt5AsyncClient mqtt;
  private volatile boolean closed;

  /**
   * Creates a client that is not connected yet.
   *
   * @param name unique, without blanks
   * @param connected called on the connection's thread after each connect
   * @param consumer receives all messages, on the connection's thread
   */
  LiveClient(
      String name, int node, History history, Runnable connected, Consumer<Mqtt5Publish> consumer) {
    this.name = name;
    this.node = node;
    this.history = history;
    this.onConnected = connected;
    this.consumer = consumer;
    this.mqtt = build();
  }

  private Mqtt5AsyncClient build() {
    Mqtt5AsyncClient built =
        Mqtt5Client.builder()
            .identifier("chaos-" + name)
            .transportConfig()
            .serverHost(Network.address(node))
            .serverPort(ChaosNode.MQTT_PORT)
            .socketConnectTimeout(1, TimeUnit.SECONDS)
            .mqttConnectTimeout(3, TimeUnit.SECONDS)
            .applyTransportConfig()
            .addConnectedListener(
                context -> {
                  history.add(millis -> new HistoryEvent.Connected(millis, name, node));
                  onConnected.run();
                })
            .addDisconnectedListener(this::onDisconnected)
            .buildAsync();
    built.publishes(MqttGlobalPublishFilter.ALL, consumer);
    return built;
  }

  private void onDisconnected(MqttClientDisconnectedContext context) {
    if (context.getClientConfig().getState().isConnected()) {
      history.add(millis -> new HistoryEvent.Lost(millis, name, node));
    }
    CompletableFuture.delayedExecutor(PAUSE_MILLIS, TimeUnit.MILLISECONDS).execute(this::start);
  }

  /** Connects with a new client, which has no session state, and retries until that succeeds. */
  void start() {
    if (!closed) {
      mqtt = build();
      mqtt.connectWith().cleanStart(true).keepAlive(KEEP_ALIVE_SECONDS).send();
    }
  }

  String name() {
    return name;
  }

  Mqtt5AsyncClient mqtt() {
    return mqtt;
  }

  boolean isConnected() {
    return mqtt.getState().isConnected();
  }

  void close() {
    closed = true;
    mqtt.disconnect();
  }
}
