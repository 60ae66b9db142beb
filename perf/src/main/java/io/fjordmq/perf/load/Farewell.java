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
 * Takes the persistent sessions of a run from a broker that goes on living, however the run ends:
 * it is the user's broker. Also when the tool is interrupted, as far as a few seconds allow; what
 * is left then is said.
 */
final class Farewell implements AutoCloseable {
  /** Whoever presses Ctrl-C does not wait for longer. */
  private static final int HASTE_SECONDS = 10;

  /** A broker that refuses so many will not have the others either. */
  private static final int MOST_REFUSALS = 100;

  private final Scenario scenario;
  private final ClientLoops loops;
  private final Fleet fleet;
  private final Arrivals goodbye = new Arrivals(0);
  private final Thread hook;

  /**
   * @param tell gets what a user should know when the tool is interrupted
   */
  Farewell(Scenario scenario, ClientLoops loops, Fleet fleet, Consumer<String> tell) {
    this.scenario = scenario;
    this.loops = loops;
    this.fleet = fleet;
    this.hook = new Thread(() -> printUrgently(tell), "farewell");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Ends all clients and then their sessions; blocks until the broker has answered.
   *
   * @return what a user should know; empty if nothing is left
   */
  List<String> say() throws InterruptedException {
    forgetAll();
    return left();
  }

  private void printUrgently(Consumer<String> tell) {
    Thread worker =
        new Thread(
            () -> {
              try {
                forgetAll();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "haste");
    worker.setDaemon(true);
    worker.start();
    try {
      worker.join(TimeUnit.SECONDS.toMillis(HASTE_SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    left().forEach(tell);
  }

  private void forgetAll() throws InterruptedException {
    fleet.quit();
    fleet.close();
    TimeUnit.SECONDS.sleep(1); // for DISCONNECTs to arrive, and for who was about to come
    Clients count = scenario.clients();
    forget("s", count.subscribers());
    forget("c", count.collectors());
    forget("i", count.idle());
    forget("p", count.publishers());
    goodbye.await();
  }

  private void forget(String kind, int count) throws InterruptedException {
    for (int i = 0; i < count && goodbye.refused() < MOST_REFUSALS; i++) {
      int node = i;
      String name = kind + i;
      LoadClient client = new LoadClient(fleet.session(name, true), LoadClient.Receiver.NOTHING);
      goodbye.next(
          name,
          () -> loops.connect(client, node),
          CompletableFuture::completedFuture,
          LoadClient::close,
          () -> {});
    }
  }

  private List<String> left() {
    Clients count = scenario.clients();
    int all = count.subscribers() + count.collectors() + count.idle() + count.publishers();
    int left = all - goodbye.accepted();
    List<String> lines = new ArrayList<>();
    if (left > 0) {
      lines.add(
          left
              + " of "
              + all
              + " persistent sessions of this run may still be on the broker, with names from "
              + fleet.session("", true).clientId()
              + "…: each goes when a client connects by its name with a clean session, or when the"
              + " broker lets it expire");
      goodbye.reasons().lines().forEach(line -> lines.add("  " + line));
    }
    return lines;
  }

  /** It has been said; an interruption does not repeat it. */
  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The tool is being interrupted right now, and the hook at work.
    }
  }
}
