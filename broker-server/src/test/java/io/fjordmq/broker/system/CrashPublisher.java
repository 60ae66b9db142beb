package io.fjordmq.broker.system;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Publishes 0, 1, 2, … with a bounded number in flight, and records the acknowledged numbers. */
final class CrashPublisher implements AutoCloseable {
  private static final int IN_FLIGHT = 20;
  private static final int FINISH_SECONDS = 60;

  private final String topic;
  private final MqttQos qos;
  private final boolean retain;
  private final Mqtt5AsyncClient client;
  private final Semaphore permits = new Semaphore(IN_FLIGHT);
  private final TreeSet<Integer> acknowledged = new TreeSet<>();
  private final List<String> refused = new CopyOnWriteArrayList<>();
  private final Thread thread;
  private volatile boolean running = true;

  CrashPublisher(SharedBroker.Port port, String name, MqttQos qos) {
    this(port, "crash/" + name, qos, false);
  }

  /** Its messages are retained, on a topic nobody of the test subscribes to. */
  static CrashPublisher retaining(SharedBroker.Port port, String name) {
    return new CrashPublisher(port, "kept/" + name, MqttQos.AT_LEAST_ONCE, true);
  }

  private CrashPublisher(SharedBroker.Port port, String topic, MqttQos qos, boolean retain) {
    this.topic = topic;
    this.qos = qos;
    this.retain = retain;
    this.client = CrashClient.build(port, "pub-" + topic.replace('/', '-'));
    this.thread = new Thread(this::publishAll, "crash-publisher-" + topic);
    CrashClient.connect(client, true);
  }

  String topic() {
    return topic;
  }

  void start() {
    thread.start();
  }

  /** Stops publishing and waits until the broker has acknowledged everything. */
  void finish() {
    running = false;
    try {
      thread.join(TimeUnit.SECONDS.toMillis(FINISH_SECONDS));
      if (!permits.tryAcquire(IN_FLIGHT, FINISH_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError(
            topic
                + ": "
                + (IN_FLIGHT - permits.availablePermits())
                + " messages never acknowledged");
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Messages that failed while the client was meant to keep trying; empty if sessions survive. */
  List<String> refused() {
    return refused;
  }

  List<Integer> acknowledged() {
    synchronized (acknowledged) {
      return List.copyOf(acknowledged);
    }
  }

  int acknowledgedCount() {
    synchronized (acknowledged) {
      return acknowledged.size();
    }
  }

  private void publishAll() {
    for (int number = 0; running; number++) {
      permits.acquireUninterruptibly();
      publish(number);
    }
  }

  private void publish(int number) {
    client
        .publishWith()
        .topic(topic)
        .qos(qos)
        .retain(retain)
        .payload(Integer.toString(number).getBytes(StandardCharsets.UTF_8))
        .send()
        .whenComplete(
            (result, failure) -> {
              Throwable fault = failure != null ? failure : result.getError().orElse(null);
              if (fault == null) {
                synchronized (acknowledged) {
                  acknowledged.add(number);
                }
              } else if (running) {
                refused.add(number + ": " + fault);
              }
              permits.release();
            });
  }

  @Override
  public void close() {
    running = false;
    permits.release(IN_FLIGHT);
    client.disconnect();
  }
}
