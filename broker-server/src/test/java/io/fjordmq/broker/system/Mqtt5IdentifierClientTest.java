package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import io.fjordmq.broker.system.SharedBroker.Port;
import io.fjordmq.testing.Await;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttAsyncClient;
import org.eclipse.paho.mqttv5.client.MqttCallback;
import org.eclipse.paho.mqttv5.client.MqttConnectionOptions;
import org.eclipse.paho.mqttv5.client.MqttDisconnectResponse;
import org.eclipse.paho.mqttv5.client.persist.MemoryPersistence;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.MqttSubscription;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Subscription identifiers as Paho and the HiveMQ client for MQTT 5 see them. */
@Tag("slow")
@ExtendWith(SharedBroker.class)
class Mqtt5IdentifierClientTest {
  private static final long WAIT_MILLIS = 30_000;

  private final Port port;
  private final String topic = "ids/" + UUID.randomUUID();

  Mqtt5IdentifierClientTest(Port port) {
    this.port = port;
  }

  /** A Paho client that queues received messages. */
  private static final class Paho implements MqttCallback, AutoCloseable {
    private final MqttAsyncClient client;
    private final BlockingQueue<MqttMessage> received = new LinkedBlockingQueue<>();

    private Paho(Port port, String id, boolean cleanStart) throws MqttException {
      client = new MqttAsyncClient("tcp://127.0.0.1:" + port.number(), id, new MemoryPersistence());
      client.setCallback(this);
      MqttConnectionOptions options = new MqttConnectionOptions();
      options.setCleanStart(cleanStart);
      options.setSessionExpiryInterval(60L);
      client.connect(options).waitForCompletion(WAIT_MILLIS);
    }

    private void subscribe(String filter, int qos, int identifier) throws MqttException {
      MqttProperties properties = new MqttProperties();
      properties.setSubscriptionIdentifier(identifier);
      client
          .subscribe(
              new MqttSubscription[] {new MqttSubscription(filter, qos)}, null, null, properties)
          .waitForCompletion(WAIT_MILLIS);
    }

    /** Payload and identifiers of the next message. */
    private String next() throws InterruptedException {
      MqttMessage message = received.poll(WAIT_MILLIS, TimeUnit.MILLISECONDS);
      if (message == null) {
        throw new AssertionError("no message");
      }
      List<Integer> identifiers =
          new ArrayList<>(message.getProperties().getSubscriptionIdentifiers());
      identifiers.sort(null);
      return new String(message.getPayload(), StandardCharsets.UTF_8) + identifiers;
    }

    @Override
    public void messageArrived(String on, MqttMessage message) {
      received.add(message);
    }

    @Override
    public void disconnected(MqttDisconnectResponse response) {}

    @Override
    public void mqttErrorOccurred(MqttException exception) {}

    @Override
    public void deliveryComplete(IMqttToken token) {}

    @Override
    public void connectComplete(boolean reconnect, String server) {}

    @Override
    public void authPacketArrived(int reasonCode, MqttProperties properties) {}

    @Override
    public void close() throws MqttException {
      if (client.isConnected()) {
        client.disconnect().waitForCompletion(WAIT_MILLIS);
      }
      client.close(true);
    }
  }

  @ParameterizedTest
  @EnumSource(MqttQos.class)
  void shouldSendEveryMatchingIdentifierToPaho(MqttQos qos) throws Exception {
    try (Paho subscriber = new Paho(port, "ids-" + UUID.randomUUID(), true);
        Mqtt5Session publisher = new Mqtt5Session(port, null)) {
      subscriber.subscribe(topic + "/+", qos.getCode(), 1);
      subscriber.subscribe(topic + "/#", qos.getCode(), 268_435_455);
      subscriber.subscribe(topic + "/other", qos.getCode(), 3);
      publisher.connect();
      publisher.publish(topic + "/one", qos, "a");
      publisher.publish(topic + "/two/deep", qos, "b");
      assertThat(subscriber.next()).isEqualTo("a[1, 268435455]");
      assertThat(subscriber.next()).isEqualTo("b[268435455]");
    }
  }

  @Test
  void shouldSendIdentifiersWithRetainedMessagesAndAfterAReconnect() throws Exception {
    String id = "ids-" + UUID.randomUUID();
    try (Mqtt5Session publisher = new Mqtt5Session(port, null)) {
      publisher.connect();
      publisher.publish(topic, MqttQos.AT_LEAST_ONCE, "kept", publish -> publish.retain(true));
      try (Paho subscriber = new Paho(port, id, true)) {
        subscriber.subscribe(topic, 1, 7);
        assertThat(subscriber.next()).isEqualTo("kept[7]");
      }
      publisher.publish(topic, MqttQos.AT_LEAST_ONCE, "while it was away");
      try (Paho subscriber = new Paho(port, id, false)) {
        assertThat(subscriber.next()).isEqualTo("while it was away[7]");
      }
      publisher.publish(topic, MqttQos.AT_LEAST_ONCE, "", publish -> publish.retain(true));
    }
  }

  /** What a flow of the HiveMQ client gets; it gives each a subscription identifier of its own. */
  private static BlockingQueue<String> flow(Mqtt5Session session, String filter) {
    BlockingQueue<String> texts = new LinkedBlockingQueue<>();
    Mqtt5Session.await(
        session
            .client()
            .subscribeWith()
            .topicFilter(filter)
            .callback(publish -> texts.add(Mqtt5Session.text(publish)))
            .send());
    return texts;
  }

  @Test
  void shouldDeliverToEachHiveMqClientFlowOnce() {
    try (Mqtt5Session subscriber = new Mqtt5Session(port, "ids-" + UUID.randomUUID());
        Mqtt5Session publisher = new Mqtt5Session(port, null)) {
      subscriber.connect();
      publisher.connect();
      final BlockingQueue<String> wide = flow(subscriber, topic + "/#");
      final BlockingQueue<String> narrow = flow(subscriber, topic + "/+");
      publisher.publish(topic + "/a", MqttQos.AT_LEAST_ONCE, "both");
      publisher.publish(topic + "/a/b", MqttQos.AT_LEAST_ONCE, "wide");
      publisher.publish(topic + "/c", MqttQos.AT_LEAST_ONCE, "last");
      Await.until("the last", 30, () -> wide.contains("last") && narrow.contains("last"));
      assertThat(wide).containsExactly("both", "wide", "last");
      assertThat(narrow).containsExactly("both", "last");
    }
  }
}
