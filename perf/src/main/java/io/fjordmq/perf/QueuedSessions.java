package io.fjordmq.perf;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Offline persistent sessions with queued messages: fills their queues and fetches everything.
 *
 * @param label prefix of the names of clients and topics
 * @param sessions one or more
 * @param queued messages per session
 * @param payloadBytes at least {@link PairLoad#HEADER_BYTES}
 */
record QueuedSessions(String label, int sessions, int queued, int payloadBytes) {
  private static final int STEP_SECONDS = 300;

  /**
   * The result of fetching them.
   *
   * @param seconds from the first CONNECT to the last message
   * @param cpuMicrosPerMessage the broker's CPU time per fetched message
   */
  record Drained(
      double seconds,
      double messagesPerSecond,
      double cpuMicrosPerMessage,
      long missing,
      long duplicated,
      long outOfOrder) {}

  private String client(int session) {
    return "queue-" + label + session;
  }

  private String topic(int session) {
    return "queue/" + label + session;
  }

  /** Creates and fills the sessions; acknowledged messages are stored. */
  void fill(ClientLoops loops) throws InterruptedException, ExecutionException, TimeoutException {
    together(session -> subscribe(loops, session));
    together(
        session ->
            new ClosedPublisher(
                    "fill-" + label + session, List.of(topic(session)), queued, payloadBytes)
                .run(loops, 0));
  }

  private CompletableFuture<Void> subscribe(ClientLoops loops, int session) {
    return loops
        .connect(new LoadClient(client(session), false, LoadClient.Receiver.NOTHING))
        .thenCompose(client -> client.subscribe(topic(session), 1))
        .thenCompose(this::leave);
  }

  private CompletableFuture<Void> leave(LoadClient client) {
    CompletableFuture<Void> left = new CompletableFuture<>();
    client.channel().closeFuture().addListener(closed -> left.complete(null));
    client.close();
    return left;
  }

  /** All clients return at once and fetch their queued messages. */
  Drained drain(ClientLoops loops, long brokerPid)
      throws InterruptedException, ExecutionException, TimeoutException {
    List<NumberedMessages> received =
        IntStream.range(0, sessions).mapToObj(session -> new NumberedMessages(queued)).toList();
    List<LoadClient> clients =
        IntStream.range(0, sessions)
            .mapToObj(session -> new LoadClient(client(session), false, received.get(session)))
            .toList();
    long cpuBefore = ProcessUsage.of(brokerPid).cpuMicros();
    long start = System.nanoTime();
    try {
      together(
          session ->
              loops
                  .connect(clients.get(session))
                  .thenCompose(connected -> received.get(session).all()));
    } catch (TimeoutException e) {
      // Messages that have not arrived by now are counted as missing.
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    long cpu = ProcessUsage.of(brokerPid).cpuMicros() - cpuBefore;
    for (LoadClient client : clients) {
      leave(client).get(STEP_SECONDS, TimeUnit.SECONDS);
    }
    double messages = (double) sessions * queued;
    return new Drained(
        seconds,
        messages / seconds,
        cpu / messages,
        received.stream().mapToLong(NumberedMessages::missing).sum(),
        received.stream().mapToLong(NumberedMessages::duplicated).sum(),
        received.stream().mapToLong(NumberedMessages::outOfOrder).sum());
  }

  /** Ends the sessions. */
  void discard(ClientLoops loops)
      throws InterruptedException, ExecutionException, TimeoutException {
    together(
        session ->
            loops
                .connect(new LoadClient(client(session), true, LoadClient.Receiver.NOTHING))
                .thenCompose(this::leave));
  }

  private void together(IntFunction<CompletableFuture<?>> step)
      throws InterruptedException, ExecutionException, TimeoutException {
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (int session = 0; session < sessions; session++) {
      all.add(step.apply(session));
    }
    CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
        .get(STEP_SECONDS, TimeUnit.SECONDS);
  }
}
