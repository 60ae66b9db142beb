package io.fjordmq.broker.system;

import com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import java.util.concurrent.TimeUnit;

/** Clients with persistent sessions that reconnect by themselves after the broker was killed. */
final class CrashClient {
  private static final long SESSION_SECONDS = 3_600;

  private CrashClient() {}

  static Mqtt5AsyncClient connect(Mqtt5AsyncClient client, boolean cleanStart) {
    Mqtt5Session.await(
        client.connectWith().cleanStart(cleanStart).sessionExpiryInterval(SESSION_SECONDS).send());
    return client;
  }

  static Mqtt5AsyncClient build(SharedBroker.Port port, String name) {
    return Mqtt5Client.builder()
        .identifier("crash-" + name)
        .serverHost("127.0.0.1")
        .serverPort(port.number())
        .automaticReconnect()
        .initialDelay(50, TimeUnit.MILLISECONDS)
        .maxDelay(300, TimeUnit.MILLISECONDS)
        .applyAutomaticReconnect()
        .addDisconnectedListener(
            context ->
                ((com.hivemq.client.mqtt.mqtt5.lifecycle.Mqtt5ClientDisconnectedContext) context)
                    .getReconnector()
                    .connectWith()
                    .cleanStart(false)
                    .sessionExpiryInterval(SESSION_SECONDS)
                    .applyConnect())
        .buildAsync();
  }
}
