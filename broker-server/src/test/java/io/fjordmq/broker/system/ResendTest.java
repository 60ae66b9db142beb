package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import io.fjordmq.testing.Await;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.paho.client.mqttv3.IMqttDeliveryToken;
import org.eclipse.paho.client.mqttv3.MqttAsyncClient;
import org.eclipse.paho.client.mqttv3.MqttCallback;
import org.eclipse.paho.client.mqttv3.MqttConnectOptions;
import org.eclipse.paho.client.mqttv3.MqttException;
import org.eclipse.paho.client.mqttv3.MqttMessage;
import org.eclipse.paho.client.mqttv3.persist.MemoryPersistence;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Messages resent after {@code kill -9} have DUP set (MQTT 3.1.1, MQTT-3.3.1-1). The client
 * acknowledges each message at once, so that many acknowledgements are lost with the process that
 * was about to store them.
 */
@Tag("slow")
class ResendTest {
  private static final int KILLS = 3;
  private static final int BETWEEN_KILLS = 300;

  @TempDir Path directory;

  private final Set<String> seen = ConcurrentHashMap.newKeySet();
  private final AtomicInteger repeated = new AtomicInteger();
  private final List<String> repeatedWithoutDup = new CopyOnWriteArrayList<>();

  @Test
  void shouldSetDupOnMessagesSentBeforeTheCrash() throws MqttException {
    try (BrokerUnderTest broker = BrokerUnderTest.startIn(directory)) {
      SharedBroker.Port port = new SharedBroker.Port(broker.port());
      MqttAsyncClient subscriber = connect(port);
      subscriber.subscribe("crash/#", 1).waitForCompletion();
      // QoS 2 up to the broker: what a publisher repeats with QoS 1 comes as a message of its own.
      try (CrashPublisher publisher = new CrashPublisher(port, "dup", MqttQos.EXACTLY_ONCE)) {
        publisher.start();
        for (int kill = 1; kill <= KILLS; kill++) {
          int before = seen.size();
          Await.until(
              "messages before kill " + kill, 60, () -> seen.size() > before + BETWEEN_KILLS);
          broker.kill();
          broker.restart();
          subscriber.close(true);
          subscriber = connect(port);
        }
        publisher.finish();
        Await.until(
            "all that was acknowledged",
            60,
            () ->
                seen.containsAll(publisher.acknowledged().stream().map(String::valueOf).toList()));
      }
      subscriber.disconnect().waitForCompletion();
      subscriber.close();
    }
    assertThat(repeatedWithoutDup).isEmpty();
    assertThat(repeated).as("messages resent after the kills").hasPositiveValue();
  }

  private MqttAsyncClient connect(SharedBroker.Port port) throws MqttException {
    MqttAsyncClient client =
        new MqttAsyncClient(
            "tcp://127.0.0.1:" + port.number(), "resend-subscriber", new MemoryPersistence());
    client.setCallback(new RepetitionRecorder());
    MqttConnectOptions options = new MqttConnectOptions();
    options.setCleanSession(false);
    client.connect(options).waitForCompletion();
    return client;
  }

  private final class RepetitionRecorder implements MqttCallback {
    @Override
    public void messageArrived(String topic, MqttMessage message) {
      String text = new String(message.getPayload(), StandardCharsets.UTF_8);
      if (!seen.add(text)) {
        repeated.incrementAndGet();
        if (!message.isDuplicate()) {
          repeatedWithoutDup.add(text);
        }
      }
    }

    @Override
    public void connectionLost(Throwable cause) {
      // The test kills the broker and connects again itself.
    }

    @Override
    public void deliveryComplete(IMqttDeliveryToken token) {
      // It publishes nothing.
    }
  }
}
