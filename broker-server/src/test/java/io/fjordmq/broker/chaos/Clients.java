package io.fjordmq.broker.chaos;

import com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import com.hivemq.client.mqtt.mqtt5.lifecycle.Mqtt5ClientDisconnectedContext;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/** Clients with persistent sessions that go to another node when they lose theirs. */
final class Clients {
  private static final long SESSION_SECONDS = 86_400;
  private static final int KEEP_ALIVE_SECONDS = 3;
  private static final long CONNECT_TRIES = 60;

  private final int nodes;
  private final History history;

  Clients(int nodes, History history) {
    this.nodes = nodes;
    this.history = history;
  }

  /**
   * Makes a client that first goes to this node; it is not connected yet. Whenever it loses its
   * connection, or disconnects, it goes to the next node and resumes its session there.
   *
   * @param ended whether it shall stay away when it disconnects
   */
  Mqtt5AsyncClient build(String name, int firstNode, BooleanSupplier ended) {
    int[] node = {firstNode};
    return Mqtt5Client.builder()
        .identifier("chaos-" + name)
        .transportConfig()
        .serverHost(Network.address(firstNode))
        .serverPort(ChaosNode.MQTT_PORT)
        .socketConnectTimeout(1, TimeUnit.SECONDS)
        .mqttConnectTimeout(3, TimeUnit.SECONDS)
        .applyTransportConfig()
        .addDisconnectedListener(
            context -> {
              if (!(context instanceof Mqtt5ClientDisconnectedContext lost)
                  || ended.getAsBoolean()) {
                return;
              }
              node[0] = 1 + node[0] % nodes;
              String cause = String.valueOf(context.getCause().getMessage()).replace('\n', ' ');
              history.note(name + " goes to node " + node[0] + ": " + cause);
              lost.getReconnector()
                  .reconnect(true)
                  .delay(20 + ThreadLocalRandom.current().nextInt(180), TimeUnit.MILLISECONDS)
                  .transportConfig()
                  .serverHost(Network.address(node[0]))
                  .serverPort(ChaosNode.MQTT_PORT)
                  .socketConnectTimeout(1, TimeUnit.SECONDS)
                  .mqttConnectTimeout(3, TimeUnit.SECONDS)
                  .applyTransportConfig()
                  .connectWith()
                  .cleanStart(false)
                  .keepAlive(KEEP_ALIVE_SECONDS)
                  .sessionExpiryInterval(SESSION_SECONDS)
                  .applyConnect();
            })
        .buildAsync();
  }

  /** Connects, trying one node after the other. */
  static void connect(Mqtt5AsyncClient client, boolean cleanStart) {
    await(
        "connecting " + client.getConfig().getClientIdentifier(),
        client
            .connectWith()
            .cleanStart(cleanStart)
            .keepAlive(KEEP_ALIVE_SECONDS)
            .sessionExpiryInterval(SESSION_SECONDS)
            .send());
  }

  static <T> T await(String what, CompletableFuture<T> future) {
    try {
      return future.get(CONNECT_TRIES, TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new IllegalStateException(what + " failed", e);
    }
  }
}
