package io.fjordmq.broker.chaos;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5SubAckException;
import io.fjordmq.broker.chaos.HistoryEvent.Step;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Subscribes and unsubscribes repeatedly at one node. After each SUBACK, a client of another node
 * publishes one message to the new subscription, which must arrive.
 */
final class LiveProbe {
  /** Longer than any fault and the recovery from it. */
  private static final long TIMEOUT_SECONDS = 40;

  private static final long PAUSE_MILLIS = 100;

  private final int node;
  private final List<LiveClient> others;
  private final History history;
  private final SubscribeTimes times;
  private final LiveClient client;
  private final Thread thread;
  private final AtomicInteger current = new AtomicInteger(-1);
  private volatile CompletableFuture<Void> arrived = new CompletableFuture<>();
  private volatile boolean running = true;

  /**
   * @param others publishers, each at another node; the caller starts and closes them
   */
  LiveProbe(int node, List<LiveClient> others, History history, SubscribeTimes times) {
    this.node = node;
    this.others = others;
    this.history = history;
    this.times = times;
    this.client =
        new LiveClient(
            "probe" + node,
            node,
            history,
            () -> {},
            publish -> onPublish(new String(publish.getPayloadAsBytes(), StandardCharsets.UTF_8)));
    this.thread = new Thread(this::run, client.name());
  }

  private void onPublish(String payload) {
    int number = Integer.parseInt(payload);
    record(Step.HEARD, number);
    if (number == current.get()) {
      arrived.complete(null);
    }
  }

  private void record(Step step, int number) {
    history.add(millis -> new HistoryEvent.Live(millis, step, client.name(), number));
  }

  void start() {
    client.start();
    thread.start();
  }

  private void run() {
    for (int number = 0; running; number++) {
      if (client.isConnected()) {
        probe(number);
      }
      ChaosCluster.pause(PAUSE_MILLIS);
    }
  }

  private void probe(int number) {
    String topic = "live/" + node + "/" + number;
    arrived = new CompletableFuture<>();
    current.set(number);
    if (!subscribe(topic, number)) {
      return;
    }
    LiveClient publisher = others.get(number % others.size());
    CompletableFuture<?> published =
        publisher
            .mqtt()
            .publishWith()
            .topic(topic)
            .qos(MqttQos.AT_LEAST_ONCE)
            .payload(Integer.toString(number).getBytes(StandardCharsets.UTF_8))
            .send()
            .thenAccept(
                result -> {
                  if (result.getError().isEmpty()) {
                    record(Step.PROBED, number);
                  }
                });
    if (await(published) && !await(arrived)) {
      record(Step.UNHEARD, number);
    }
    await(client.mqtt().unsubscribeWith().topicFilter(topic).send());
  }

  private boolean subscribe(String topic, int number) {
    long began = System.nanoTime();
    CompletableFuture<?> answer =
        client
            .mqtt()
            .subscribeWith()
            .topicFilter(topic)
            .qos(MqttQos.AT_LEAST_ONCE)
            .send()
            .whenComplete(
                (suback, failure) -> {
                  if (failure == null) {
                    record(Step.SUBSCRIBED, number);
                  }
                });
    boolean done = await(answer);
    boolean isUnanswered = !answer.isDone() && client.isConnected();
    if (done || isUnanswered || isRefusal(answer)) {
      times.add(began, done);
    }
    return done;
  }

  /** Not a refusal if the connection closed before the answer. */
  private static boolean isRefusal(CompletableFuture<?> answer) {
    Throwable failure = answer.isDone() ? answer.handle((ok, fault) -> fault).join() : null;
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof Mqtt5SubAckException;
  }

  /**
   * Waits for the future up to the timeout.
   *
   * @return false if it failed, timed out, or the connection closed
   */
  private boolean await(CompletableFuture<?> future) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
    while (client.isConnected() && System.nanoTime() < end) {
      try {
        future.get(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        return true;
      } catch (TimeoutException e) {
        // The connection may have ended.
      } catch (ExecutionException e) {
        history.note(client.name() + ": " + e.getCause());
        return false;
      } catch (InterruptedException e) {
        return false;
      }
    }
    return false;
  }

  /** Stops the probe without waiting for it. */
  void close() {
    running = false;
    client.close();
  }
}
