package io.fjordmq.broker.system;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import io.fjordmq.testing.Await;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Measures how long SUBSCRIBE takes at one node. Several clients take turns at a fixed rate and do
 * not wait for outstanding answers, because a session processes one SUBSCRIBE at a time.
 */
final class SubscribeProbe implements AutoCloseable {
  private static final int TIMEOUT_SECONDS = 60;

  private static final int CLIENTS = 20;

  private final List<Mqtt5AsyncClient> clients = new ArrayList<>();
  private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
  private final List<CompletableFuture<Answer>> answers =
      Collections.synchronizedList(new ArrayList<>());
  private int number;
  private volatile int calmAnswers;

  /**
   * @param calmMillis slowest answer to a SUBSCRIBE sent before the restart
   * @param p99Millis of all answers
   * @param overSecond answers that took longer than a second
   * @param slowestMillis slowest answer of all
   * @param slowestSent when that SUBSCRIBE was sent, to find it in the logs
   * @param failed requests that were rejected or never answered
   * @param firstFailure why the first of them failed
   */
  record Result(
      int requests,
      int failed,
      long calmMillis,
      long p99Millis,
      int overSecond,
      long slowestMillis,
      Instant slowestSent,
      String firstFailure) {}

  private record Answer(Instant sent, long millis) {}

  SubscribeProbe(BrokerUnderTest node, long periodMillis) {
    for (int i = 0; i < CLIENTS; i++) {
      Mqtt5AsyncClient client =
          Mqtt5Client.builder()
              .identifier("probe-" + node.port() + "-" + i)
              .serverHost("127.0.0.1")
              .serverPort(node.port())
              .buildAsync();
      client.connect().join();
      clients.add(client);
    }
    scheduler.scheduleAtFixedRate(this::subscribe, 0, periodMillis, TimeUnit.MILLISECONDS);
  }

  private void subscribe() {
    Instant sent = Instant.now();
    long start = System.nanoTime();
    String filter = "probe/" + number % 1_000;
    answers.add(
        clients
            .get(number % CLIENTS)
            .subscribeWith()
            .topicFilter(filter)
            .qos(MqttQos.AT_MOST_ONCE)
            .send()
            .thenApply(granted -> new Answer(sent, (System.nanoTime() - start) / 1_000_000)));
    number++;
  }

  /** Waits until this many SUBSCRIBE packets that are sent from now on have been answered. */
  void awaitAnswers(int count) {
    int first = answers.size();
    Await.until(
        count + " answers to SUBSCRIBE",
        TIMEOUT_SECONDS,
        () ->
            List.copyOf(answers).stream().skip(first).filter(CompletableFuture::isDone).count()
                >= count);
  }

  /** Ends the calm phase: SUBSCRIBE packets from now on are sent during the restart. */
  void onRestart() {
    calmAnswers = answers.size();
  }

  /** Waits for all answers. */
  Result finish() throws InterruptedException {
    scheduler.shutdown();
    scheduler.awaitTermination(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    List<CompletableFuture<Answer>> all = List.copyOf(answers);
    CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
        .orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS)
        .handle((answered, failure) -> failure)
        .join();
    long slowestInCalm = 0;
    Answer slowest = new Answer(Instant.EPOCH, 0);
    List<Long> took = new ArrayList<>();
    int failed = 0;
    String why = "";
    for (int i = 0; i < all.size(); i++) {
      CompletableFuture<Answer> answer = all.get(i);
      if (!answer.isDone() || answer.isCompletedExceptionally()) {
        why = failed++ == 0 ? failureReason(answer) : why;
      } else {
        took.add(answer.join().millis);
        slowest = slowest.millis < answer.join().millis ? answer.join() : slowest;
        slowestInCalm = i < calmAnswers ? slowest.millis : slowestInCalm;
      }
    }
    took.sort(null);
    long p99 = took.isEmpty() ? 0 : took.get((took.size() - 1) * 99 / 100);
    int overSecond = (int) took.stream().filter(millis -> millis > 1_000).count();
    return new Result(
        all.size(), failed, slowestInCalm, p99, overSecond, slowest.millis, slowest.sent, why);
  }

  private static String failureReason(CompletableFuture<Answer> answer) {
    return answer.isDone()
        ? String.valueOf(answer.handle((millis, failure) -> failure).join())
        : "no response within " + TIMEOUT_SECONDS + " s";
  }

  @Override
  public void close() {
    scheduler.shutdownNow();
    clients.forEach(Mqtt5AsyncClient::disconnect);
  }
}
