package io.fjordmq.broker.chaos;

import com.hivemq.client.mqtt.lifecycle.MqttDisconnectSource;
import com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import com.hivemq.client.mqtt.mqtt5.lifecycle.Mqtt5ClientDisconnectedContext;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A client with a persistent session. When it loses its node, it resumes the session at the next
 * one. Writes its connections to the history.
 */
final class ChaosClient {
  private static final long SESSION_SECONDS = 86_400;
  private static final int KEEP_ALIVE_SECONDS = 3;
  private static final int CONNACK_SECONDS = 3;
  private static final long TIMEOUT_SECONDS = 60;
  private static final int MIN_PAUSE_MILLIS = 20;
  private static final int MAX_PAUSE_MILLIS = 200;

  private final String name;
  private final int nodes;
  private final int home;
  private final int connackSeconds;
  private final History history;
  private final Mqtt5AsyncClient mqtt;
  private volatile int node;
  private volatile boolean goingHome;
  private volatile boolean leaving;

  /**
   * Creates a client that connects to this node first; it is not connected yet.
   *
   * @param name unique, without blanks
   */
  ChaosClient(String name, int nodes, int home, History history) {
    this(name, nodes, home, history, CONNACK_SECONDS);
  }

  /**
   * @param connackSeconds timeout for CONNACK before it tries the next node
   */
  ChaosClient(String name, int nodes, int home, History history, int connackSeconds) {
    this.connackSeconds = connackSeconds;
    this.name = name;
    this.nodes = nodes;
    this.home = home;
    this.history = history;
    this.node = home;
    this.mqtt =
        Mqtt5Client.builder()
            .identifier("chaos-" + name)
            .transportConfig()
            .serverHost(Network.address(home))
            .serverPort(ChaosNode.MQTT_PORT)
            .socketConnectTimeout(1, TimeUnit.SECONDS)
            .mqttConnectTimeout(connackSeconds, TimeUnit.SECONDS)
            .applyTransportConfig()
            .addConnectedListener(
                context -> history.add(millis -> new HistoryEvent.Connected(millis, name, node)))
            .addDisconnectedListener(
                context -> onDisconnected((Mqtt5ClientDisconnectedContext) context))
            .buildAsync();
  }

  private void onDisconnected(Mqtt5ClientDisconnectedContext context) {
    boolean wished = context.getSource() == MqttDisconnectSource.USER;
    if (leaving) {
      return;
    }
    int from = node;
    node = goingHome ? home : 1 + from % nodes;
    goingHome = false;
    if (!wished && context.getClientConfig().getState().isConnected()) {
      history.add(millis -> new HistoryEvent.Lost(millis, name, from));
    }
    String cause = String.valueOf(context.getCause().getMessage()).replace('\n', ' ');
    history.note(name + " goes to node " + node + ": " + cause);
    int pause =
        MIN_PAUSE_MILLIS + ThreadLocalRandom.current().nextInt(MAX_PAUSE_MILLIS - MIN_PAUSE_MILLIS);
    context
        .getReconnector()
        .reconnect(true)
        .delay(pause, TimeUnit.MILLISECONDS)
        .transportConfig()
        .serverHost(Network.address(node))
        .serverPort(ChaosNode.MQTT_PORT)
        .socketConnectTimeout(1, TimeUnit.SECONDS)
        .mqttConnectTimeout(connackSeconds, TimeUnit.SECONDS)
        .applyTransportConfig()
        .connectWith()
        .cleanStart(false)
        .keepAlive(KEEP_ALIVE_SECONDS)
        .sessionExpiryInterval(SESSION_SECONDS)
        .applyConnect();
  }

  Mqtt5AsyncClient mqtt() {
    return mqtt;
  }

  /** Connects, trying one node after another. */
  void connect(boolean cleanStart) {
    await(
        "connecting " + name,
        mqtt.connectWith()
            .cleanStart(cleanStart)
            .keepAlive(KEEP_ALIVE_SECONDS)
            .sessionExpiryInterval(SESSION_SECONDS)
            .send());
  }

  /** Leaves its node and goes to the next one. */
  void move() {
    if (mqtt.getState().isConnected()) {
      mqtt.disconnect();
    }
  }

  /** Returns to its first node if it is elsewhere. */
  void returnHome() {
    if (node != home && mqtt.getState().isConnected()) {
      goingHome = true;
      mqtt.disconnect();
    }
  }

  /** Disconnects and stays offline; its session remains. */
  CompletableFuture<Void> leave() {
    leaving = true;
    return mqtt.disconnect();
  }

  static <T> T await(String what, CompletableFuture<T> future) {
    try {
      return future.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new IllegalStateException(what + " failed", e);
    }
  }
}
