package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import java.util.UUID;
import org.eclipse.paho.client.mqttv3.IMqttMessageListener;
import org.eclipse.paho.client.mqttv3.MqttClient;
import org.eclipse.paho.client.mqttv3.MqttConnectOptions;
import org.eclipse.paho.client.mqttv3.MqttException;
import org.eclipse.paho.client.mqttv3.persist.MemoryPersistence;

/**
 * Well-behaved clients, one of each library and one with a persistent session, that must not be
 * affected by other clients: they stay connected, and everything they publish arrives.
 */
final class Bystander implements AutoCloseable {
  /** How many connections it has. */
  static final int CONNECTIONS = 3;

  private final String topic = "bystander/" + UUID.randomUUID();
  private final Mqtt5Session transientSession;
  private final Mqtt5Session persistentSession;
  private final MqttClient paho;
  private final java.util.concurrent.BlockingQueue<String> pahoReceived =
      new java.util.concurrent.LinkedBlockingQueue<>();
  private int sent;

  Bystander(SharedBroker.Port port) {
    transientSession = new Mqtt5Session(port, "bystander-transient");
    transientSession.connect();
    transientSession.subscribe(topic, MqttQos.AT_MOST_ONCE);
    persistentSession = new Mqtt5Session(port, "bystander-persistent");
    persistentSession.connect(connect -> connect.sessionExpiryInterval(3_600));
    persistentSession.subscribe(topic, MqttQos.EXACTLY_ONCE);
    try {
      paho =
          new MqttClient(
              "tcp://127.0.0.1:" + port.number(), "bystander-paho", new MemoryPersistence());
      MqttConnectOptions options = new MqttConnectOptions();
      options.setAutomaticReconnect(false);
      paho.connect(options);
      IMqttMessageListener listener =
          (from, message) -> pahoReceived.add(new String(message.getPayload(), UTF_8));
      paho.subscribe(topic, 1, listener);
    } catch (MqttException e) {
      throw new AssertionError(e);
    }
  }

  private static final java.nio.charset.Charset UTF_8 = java.nio.charset.StandardCharsets.UTF_8;

  /** Sends one message and sees it arrive at all three, once. */
  void assertUnaffected() {
    String text = "message " + sent++;
    persistentSession.publish(topic, MqttQos.EXACTLY_ONCE, text);
    assertThat(transientSession.nextText()).isEqualTo(text);
    Mqtt5Publish stored = persistentSession.next();
    assertThat(Mqtt5Session.text(stored)).isEqualTo(text);
    try {
      assertThat(
              pahoReceived.poll(Mqtt5Session.WAIT_SECONDS, java.util.concurrent.TimeUnit.SECONDS))
          .isEqualTo(text);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    assertThat(paho.isConnected()).isTrue();
    assertThat(transientSession.client().getState().isConnected()).isTrue();
    assertThat(persistentSession.client().getState().isConnected()).isTrue();
  }

  @Override
  public void close() {
    transientSession.close();
    persistentSession.close();
    try {
      paho.disconnect();
      paho.close();
    } catch (MqttException e) {
      throw new AssertionError(e);
    }
  }
}
