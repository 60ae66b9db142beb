package io.fjordmq.perf.load;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.LoadClient;
import io.fjordmq.perf.scenario.Clients;
import io.fjordmq.perf.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Removes the persistent sessions of a run from a broker that keeps running after the run. If the
 * tool is interrupted, the cleanup still runs for a few seconds and reports how many sessions
 * remain.
 */
final class SessionCleanup implements AutoCloseable {
  /** Time limit of the cleanup after Ctrl-C. */
  private static final int INTERRUPTED_TIMEOUT_SECONDS = 10;

  /**
   * Number of refusals after which the cleanup gives up, because the broker would refuse the rest
   * as well.
   */
  private static final int MAX_REFUSALS = 100;

  private final Scenario scenario;
  private final ClientLoops loops;
  private final Fleet fleet;
  private final Arrivals cleanupConnects = new Arrivals(0);
  private final Thread shutdownHook;

  /**
   * @param messages receives messages for the user if the tool is interrupted
   */
  SessionCleanup(Scenario scenario, ClientLoops loops, Fleet fleet, Consumer<String> messages) {
    this.scenario = scenario;
    this.loops = loops;
    this.fleet = fleet;
    this.shutdownHook = new Thread(() -> runInterrupted(messages), "session-cleanup-hook");
    Runtime.getRuntime().addShutdownHook(shutdownHook);
  }

  /**
   * Closes all clients and ends their sessions; blocks until the broker has responded.
   *
   * @return a message of one or more lines for the user; empty if no session remains
   */
  List<String> run() throws InterruptedException {
    removeAllSessions();
    return remainingSessions();
  }

  private void runInterrupted(Consumer<String> messages) {
    Thread worker =
        new Thread(
            () -> {
              try {
                removeAllSessions();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "session-cleanup");
    worker.setDaemon(true);
    worker.start();
    try {
      worker.join(TimeUnit.SECONDS.toMillis(INTERRUPTED_TIMEOUT_SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    remainingSessions().forEach(messages);
  }

  private void removeAllSessions() throws InterruptedException {
    fleet.requestStop();
    fleet.close();
    // Allow time for DISCONNECTs, and for clients that are still connecting.
    TimeUnit.SECONDS.sleep(1);
    Clients count = scenario.clients();
    removeSessions("s", count.subscribers());
    removeSessions("c", count.collectors());
    removeSessions("i", count.idle());
    removeSessions("p", count.publishers());
    cleanupConnects.await();
  }

  private void removeSessions(String kind, int count) throws InterruptedException {
    for (int i = 0; i < count && cleanupConnects.refused() < MAX_REFUSALS; i++) {
      int node = i;
      String name = kind + i;
      LoadClient client =
          new LoadClient(fleet.connectSettings(name, true), LoadClient.Receiver.NOTHING);
      cleanupConnects.connectNext(
          name,
          () -> loops.connect(client, node),
          CompletableFuture::completedFuture,
          LoadClient::close,
          () -> {});
    }
  }

  private List<String> remainingSessions() {
    Clients count = scenario.clients();
    int total = count.subscribers() + count.collectors() + count.idle() + count.publishers();
    int remaining = total - cleanupConnects.accepted();
    List<String> lines = new ArrayList<>();
    if (remaining > 0) {
      lines.add(
          """
          %d of %d persistent sessions of this run may still be on the broker, with identifiers \
          that begin with %s; each ends when a client with its identifier connects with a clean \
          session or the broker expires it\
          """
              .formatted(remaining, total, fleet.connectSettings("", true).clientId()));
      cleanupConnects.reasons().lines().forEach(line -> lines.add("  " + line));
    }
    return lines;
  }

  /** Removes the shutdown hook, so that an interruption does not repeat the cleanup. */
  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(shutdownHook);
    } catch (IllegalStateException e) {
      // The tool is being interrupted and the hook is running.
    }
  }
}
