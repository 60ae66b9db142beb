package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.system.SharedBroker.Port;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.paho.client.mqttv3.IMqttDeliveryToken;
import org.eclipse.paho.client.mqttv3.MqttAsyncClient;
import org.eclipse.paho.client.mqttv3.MqttCallback;
import org.eclipse.paho.client.mqttv3.MqttConnectOptions;
import org.eclipse.paho.client.mqttv3.MqttException;
import org.eclipse.paho.client.mqttv3.MqttMessage;
import org.eclipse.paho.client.mqttv3.persist.MemoryPersistence;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** MQTT 3.1 and 3.1.1 as the Eclipse Paho client sees them. */
@Tag("slow")
@ExtendWith(SharedBroker.class)
class Mqtt3ClientTest {
  private static final int WAIT_SECONDS = 30;
  private static final long QUIET_MILLIS = 700;

  private final Port port;
  private String topic = "";

  Mqtt3ClientTest(Port port) {
    this.port = port;
  }

  @BeforeEach
  void chooseTopic(TestInfo test) {
    topic = "t3/" + test.getTestMethod().orElseThrow().getName() + "/" + UUID.randomUUID();
  }

  private record Received(String topic, String text, int qos, boolean retained) {}

  private final class Client implements AutoCloseable {
    final MqttAsyncClient paho;
    final BlockingQueue<Received> received = new LinkedBlockingQueue<>();
    final BlockingQueue<Throwable> lost = new LinkedBlockingQueue<>();
    boolean sessionPresent;

    Client(String name, int version, boolean clean) throws MqttException {
      this(name, version, clean, null);
    }

    Client(String name, int version, boolean clean, @org.jspecify.annotations.Nullable String will)
        throws MqttException {
      paho =
          new MqttAsyncClient(
              "tcp://127.0.0.1:" + port.number(),
              name + "-" + Integer.toHexString(topic.hashCode()),
              new MemoryPersistence());
      paho.setCallback(
          new MqttCallback() {
            @Override
            public void connectionLost(Throwable cause) {
              lost.add(cause == null ? new IllegalStateException("no cause") : cause);
            }

            @Override
            public void messageArrived(String on, MqttMessage m) {
              String text = new String(m.getPayload(), StandardCharsets.UTF_8);
              received.add(new Received(on, text, m.getQos(), m.isRetained()));
            }

            @Override
            public void deliveryComplete(IMqttDeliveryToken token) {}
          });
      MqttConnectOptions options = new MqttConnectOptions();
      options.setMqttVersion(version);
      options.setCleanSession(clean);
      options.setMaxInflight(1_000);
      if (will != null) {
        options.setWill(topic, will.getBytes(StandardCharsets.UTF_8), 1, false);
      }
      var token = paho.connect(options);
      token.waitForCompletion(WAIT_SECONDS * 1000L);
      sessionPresent = token.getSessionPresent();
    }

    void subscribe(String filter, int qos) throws MqttException {
      paho.subscribe(filter, qos).waitForCompletion(WAIT_SECONDS * 1000L);
    }

    void publish(String on, int qos, boolean retain, String text) throws MqttException {
      paho.publish(on, text.getBytes(StandardCharsets.UTF_8), qos, retain)
          .waitForCompletion(WAIT_SECONDS * 1000L);
    }

    Received next() throws InterruptedException {
      Received got = received.poll(WAIT_SECONDS, TimeUnit.SECONDS);
      assertThat(got).as("a message within " + WAIT_SECONDS + " s").isNotNull();
      return got;
    }

    void assertNothingReceived() throws InterruptedException {
      assertThat(received.poll(QUIET_MILLIS, TimeUnit.MILLISECONDS)).isNull();
    }

    /** Ends the connection without a DISCONNECT. */
    void drop() throws MqttException {
      paho.disconnectForcibly(0, 1, false);
    }

    @Override
    public void close() throws MqttException {
      if (paho.isConnected()) {
        paho.disconnect().waitForCompletion(WAIT_SECONDS * 1000L);
      }
      paho.close(true);
    }
  }

  @ParameterizedTest(name = "MQTT 3 level {0}, QoS {1}")
  @CsvSource({"3,0", "3,1", "3,2", "4,0", "4,1", "4,2"})
  @DisplayName("[3.1.1: MQTT-7.0.0-2] Paho as it comes: no extension is needed")
  void shouldDeliverMessageAtEveryQos(int version, int qos) throws Exception {
    try (Client subscriber = new Client("s", version, true);
        Client publisher = new Client("p", version, true)) {
      subscriber.subscribe(topic + "/+", qos);
      publisher.publish(topic + "/a", qos, false, "hello");
      assertThat(subscriber.next()).isEqualTo(new Received(topic + "/a", "hello", qos, false));
      subscriber.assertNothingReceived();
    }
  }

  @ParameterizedTest(name = "MQTT 3 level {0}, QoS {1}")
  @CsvSource({"3,1", "4,1", "4,2"})
  void shouldQueueForPersistentSessionWhileItIsOffline(int version, int qos) throws Exception {
    try (Client away = new Client("s", version, false)) {
      away.subscribe(topic, qos);
    }
    List<String> sent = new ArrayList<>();
    try (Client publisher = new Client("p", version, true)) {
      for (int i = 0; i < 100; i++) {
        sent.add("m" + i);
        publisher.publish(topic, qos, false, "m" + i);
      }
    }
    List<String> got = new ArrayList<>();
    try (Client back = new Client("s", version, false)) {
      for (int i = 0; i < sent.size(); i++) {
        got.add(back.next().text());
      }
      back.assertNothingReceived();
      if (version == 4) {
        assertThat(back.sessionPresent).isTrue();
      }
    }
    assertThat(got).isEqualTo(sent);
    try (Client clean = new Client("s", version, true)) {
      assertThat(clean.sessionPresent).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 4})
  void shouldReplayRetainedMessage(int version) throws Exception {
    try (Client publisher = new Client("p", version, true);
        Client subscriber = new Client("s", version, true)) {
      publisher.publish(topic, 1, true, "kept");
      subscriber.subscribe(topic, 1);
      assertThat(subscriber.next()).isEqualTo(new Received(topic, "kept", 1, true));
      publisher.publish(topic, 1, true, "");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 4})
  void shouldPublishWillWhenConnectionBreaks(int version) throws Exception {
    try (Client watcher = new Client("w", version, true)) {
      watcher.subscribe(topic, 1);
      Client dying = new Client("d", version, true, "gone");
      dying.drop();
      assertThat(watcher.next().text()).isEqualTo("gone");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 4})
  void shouldCloseOlderConnectionOfTheSameClient(int version) throws Exception {
    try (Client older = new Client("s", version, true);
        Client newer = new Client("s", version, true)) {
      assertThat(older.lost.poll(WAIT_SECONDS, TimeUnit.SECONDS)).isNotNull();
      assertThat(newer.paho.isConnected()).isTrue();
    }
  }
}
