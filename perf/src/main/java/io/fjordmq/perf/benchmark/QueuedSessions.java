package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.LoadClient;
import io.fjordmq.perf.load.ResultMetric;
import io.fjordmq.perf.machine.ProcessUsage;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Offline persistent sessions with queued messages. Fills their queues and fetches everything.
 *
 * @param sessions one or more
 * @param queued messages per session
 */
record QueuedSessions(int sessions, int queued) {
  private static final int PAYLOAD_BYTES = 256;

  private static String client(int session) {
    return "queue-" + session;
  }

  private static String topic(int session) {
    return "queue/" + session;
  }

  /**
   * Creates the sessions and fills their queues. Blocks until the broker has acknowledged all
   * messages.
   */
  void fill(ClientLoops loops) throws Exception {
    forAllSessions(
        session ->
            loops
                .connect(new LoadClient(client(session), false, LoadClient.Receiver.NOTHING))
                .thenCompose(client -> client.subscribe(topic(session), 1))
                .thenCompose(QueuedSessions::disconnect));
    forAllSessions(
        session ->
            new ClosedLoopPublisher(
                    "fill-" + session, List.of(topic(session)), queued, PAYLOAD_BYTES, 0)
                .run(loops, 0));
  }

  private void forAllSessions(IntFunction<CompletableFuture<?>> operation) throws Exception {
    Waves.run(sessions, sessions, operation);
  }

  /** Disconnects a client. Completes when the connection has ended. */
  static CompletableFuture<LoadClient> disconnect(LoadClient client) {
    CompletableFuture<LoadClient> closed = new CompletableFuture<>();
    client.channel().closeFuture().addListener(done -> closed.complete(client));
    client.close();
    return closed;
  }

  /** Connects all clients at the same time; they fetch their queued messages. Blocks. */
  Measurement drain(ClientLoops loops, long brokerPid) throws Exception {
    List<NumberedMessages> received =
        IntStream.range(0, sessions).mapToObj(session -> new NumberedMessages(queued)).toList();
    List<LoadClient> clients =
        IntStream.range(0, sessions)
            .mapToObj(session -> new LoadClient(client(session), false, received.get(session)))
            .toList();
    final long cpuBefore = ProcessUsage.of(brokerPid).cpuMicros();
    long start = System.nanoTime();
    try {
      forAllSessions(
          session ->
              loops
                  .connect(clients.get(session))
                  .thenCompose(connected -> received.get(session).allReceived()));
    } catch (TimeoutException e) {
      // Messages that have not arrived yet are counted as missing.
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    long cpu = ProcessUsage.of(brokerPid).cpuMicros() - cpuBefore;
    forAllSessions(session -> disconnect(clients.get(session)));
    double messages = (double) sessions * queued;
    return new Measurement()
        .put(ResultMetric.RECEIVED, messages / seconds)
        .put(ResultMetric.CPU_MICROS, cpu / messages)
        .faults(ResultMetric.LOST, received.stream().mapToLong(NumberedMessages::missing).sum())
        .faults(
            ResultMetric.DUPLICATED,
            received.stream().mapToLong(NumberedMessages::duplicated).sum())
        .faults(
            ResultMetric.OUT_OF_ORDER,
            received.stream().mapToLong(NumberedMessages::outOfOrder).sum());
  }

  /** Ends the sessions. Blocks. */
  void discard(ClientLoops loops) throws Exception {
    forAllSessions(
        session ->
            loops
                .connect(new LoadClient(client(session), true, LoadClient.Receiver.NOTHING))
                .thenCompose(QueuedSessions::disconnect));
  }
}
