package io.fjordmq.broker.net;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.MqttClientSslConfig;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5ClientBuilder;
import io.fjordmq.broker.protocol.Peer;
import io.fjordmq.broker.testing.Certs;
import io.fjordmq.broker.testing.LeakDetector;
import io.netty.pkitesting.X509Bundle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.paho.client.mqttv3.MqttConnectOptions;
import org.eclipse.paho.client.mqttv3.persist.MemoryPersistence;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Third-party clients on every transport. */
@Tag("slow")
@ExtendWith(LeakDetector.class)
class TransportClientsTest {
  @TempDir Path folder;

  private OpenListener open(Certs certs, String kind) {
    TlsSettings tls = certs.settings();
    TlsSettings mutual =
        Certs.with(tls, tls.certFile(), tls.keyFile(), "", "", certs.authorityFile().toString());
    ListenerSettings tcp = ListenerSettings.tcp("127.0.0.1", 0);
    return new OpenListener(
        new ListenerSettings(
            tcp.key(),
            tcp.endpoint(),
            tcp.socket(),
            tcp.proxy(),
            kind.equals("mutual") ? mutual : kind.equals("tls") || kind.equals("wss") ? tls : null,
            kind.startsWith("w") ? WebSocketSettings.DEFAULTS : null));
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "tls", "mutual", "ws", "wss"})
  void shouldServeTheHiveMqClient(String kind) throws Exception {
    Certs certs = new Certs(folder);
    X509Bundle proof = kind.equals("mutual") ? certs.client("hive") : null;
    try (OpenListener listener = open(certs, kind)) {
      Mqtt5BlockingClient client = buildHiveMqClient(listener, certs, kind, proof);
      client.connect();
      Peer peer = OpenListener.take(listener.peers);
      assertThat(peer.encrypted()).isEqualTo(!kind.equals("tcp") && !kind.equals("ws"));
      assertThat(peer.certificate() == null).isEqualTo(proof == null);
      try (Mqtt5BlockingClient.Mqtt5Publishes publishes =
          client.publishes(MqttGlobalPublishFilter.ALL)) {
        client.subscribeWith().topicFilter("a/#").qos(MqttQos.EXACTLY_ONCE).send();
        byte[] large = new byte[100_000]; // more than one TLS record
        client.publishWith().topic("a/b").qos(MqttQos.EXACTLY_ONCE).payload(large).send();
        Optional<com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish> got =
            publishes.receive(20, TimeUnit.SECONDS);
        assertThat(got.orElseThrow().getPayloadAsBytes()).isEqualTo(large);
      }
      client.disconnect();
    }
  }

  private static Mqtt5BlockingClient buildHiveMqClient(
      OpenListener listener, Certs certs, String kind, @Nullable X509Bundle proof) {
    Mqtt5ClientBuilder builder =
        MqttClient.builder()
            .useMqttVersion5()
            .identifier("hive")
            .serverHost("127.0.0.1")
            .serverPort(listener.port());
    if (!kind.equals("tcp") && !kind.equals("ws")) {
      builder =
          builder.sslConfig(
              MqttClientSslConfig.builder()
                  .trustManagerFactory(certs.trust())
                  .keyManagerFactory(proof == null ? null : Certs.keyManagers(proof))
                  .build());
    }
    if (kind.startsWith("w")) {
      builder =
          builder.webSocketConfig().serverPath("mqtt").subprotocol("mqtt").applyWebSocketConfig();
    }
    return builder.buildBlocking();
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "tls", "mutual", "ws", "wss"})
  void shouldServeThePahoClient(String kind) throws Exception {
    Certs certs = new Certs(folder);
    try (OpenListener listener = open(certs, kind)) {
      String scheme = kind.startsWith("w") ? kind : kind.equals("tcp") ? kind : "ssl";
      String url = scheme + "://127.0.0.1:" + listener.port();
      var paho =
          new org.eclipse.paho.client.mqttv3.MqttClient(
              kind.startsWith("w") ? url + "/mqtt" : url, "paho", new MemoryPersistence());
      MqttConnectOptions options = new MqttConnectOptions();
      if (!kind.equals("tcp") && !kind.equals("ws")) {
        X509Bundle proof = kind.equals("mutual") ? certs.client("paho") : null;
        options.setSocketFactory(certs.trusting(proof).getSocketFactory());
      }
      paho.connect(options);
      BlockingQueue<String> received = new LinkedBlockingQueue<>();
      paho.subscribe(
          "a/#",
          1,
          (topic, message) ->
              received.add(topic + " " + new String(message.getPayload(), StandardCharsets.UTF_8)));
      paho.publish("a/b", "hello".getBytes(StandardCharsets.UTF_8), 1, false);
      assertThat(OpenListener.take(received)).isEqualTo("a/b hello");
      paho.disconnect();
      paho.close();
    }
  }
}
