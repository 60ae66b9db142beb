package io.fjordmq.broker.system;

import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient;
import io.fjordmq.testing.Await;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A persistent session that continuously subscribes to one topic after another, and a publisher
 * that sends a message as soon as the subscription is acknowledged: it must arrive. Refused
 * requests are retried.
 */
final class FreshSubscriptions implements AutoCloseable {
  private static final int TIMEOUT_SECONDS = 90;

  private final Mqtt5AsyncClient subscriber;
  private final Mqtt5AsyncClient publisher;
  private final Set<String> received = ConcurrentHashMap.newKeySet();
  private final Thread thread = new Thread(this::run, "fresh-subscriptions");
  private volatile boolean running = true;
  private volatile int deliveredCount;
  private volatile @Nullable AssertionError failure;

  FreshSubscriptions(BrokerUnderTest subscriberAt, BrokerUnderTest publisherAt) {
    this.subscriber = CrashClient.build(subscriberAt.mqtt(), "fresh-subscriber");
    this.publisher = CrashClient.build(publisherAt.mqtt(), "fresh-publisher");
    subscriber.publishes(
        MqttGlobalPublishFilter.ALL, publish -> received.add(publish.getTopic().toString()));
    CrashClient.connect(subscriber, true);
    CrashClient.connect(publisher, true);
  }

  void start() {
    thread.start();
  }

  /**
   * Waits for the last one.
   *
   * @throws AssertionError if an acknowledged message to an acknowledged subscription did not come
   */
  void finish() {
    running = false;
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    AssertionError found = failure;
    if (found != null) {
      throw found;
    }
  }

  /** Subscriptions whose message arrived. */
  int deliveredCount() {
    return deliveredCount;
  }

  private void run() {
    try {
      for (int number = 0; running; number++) {
        String topic = "fresh/" + number;
        retry("SUBSCRIBE " + topic, () -> subscribe(topic));
        retry("PUBLISH " + topic, () -> publish(topic));
        Await.until("the message to " + topic, TIMEOUT_SECONDS, () -> received.contains(topic));
        retry("UNSUBSCRIBE " + topic, () -> unsubscribe(topic));
        deliveredCount++;
      }
    } catch (AssertionError e) {
      failure = e;
    }
  }

  private CompletableFuture<?> subscribe(String topic) {
    return subscriber.subscribeWith().topicFilter(topic).qos(MqttQos.AT_LEAST_ONCE).send();
  }

  private CompletableFuture<?> unsubscribe(String topic) {
    return subscriber.unsubscribeWith().topicFilter(topic).send();
  }

  private CompletableFuture<?> publish(String topic) {
    return publisher
        .publishWith()
        .topic(topic)
        .qos(MqttQos.AT_LEAST_ONCE)
        .payload(topic.getBytes(StandardCharsets.UTF_8))
        .send()
        .thenAccept(
            result ->
                result
                    .getError()
                    .ifPresent(
                        error -> {
                          throw new IllegalStateException(error);
                        }));
  }

  /** One request of a client, which may be refused or cut short while a node is away. */
  @FunctionalInterface
  private interface Request {
    CompletableFuture<?> send();
  }

  private static void retry(String what, Request request) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
    while (true) {
      try {
        request.send().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        return;
      } catch (ExecutionException e) {
        if (System.nanoTime() > deadline) {
          throw new AssertionError(what + " was refused at every attempt", e);
        }
        Await.pause();
      } catch (InterruptedException | TimeoutException e) {
        throw new AssertionError(what + " got no response", e);
      }
    }
  }

  @Override
  public void close() {
    running = false;
    subscriber.disconnect();
    publisher.disconnect();
  }
}
