package io.fjordmq.perf;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Opens idle connections and measures them: memory beyond the first thousand, and the connection
 * rate.
 */
final class IdleLoad {
  private static final int WAVE = 256;
  private static final int SETTLE_SECONDS = 3;

  // Otherwise memory of the JIT compiler and its code would be attributed to connections.
  private static final int WARM_UP_ROUNDS = 20;
  private static final int WARM_UP_PAUSE_MILLIS = 500;

  /**
   * @param kilobytesPerConnection between {@code base} and {@code total} connections
   * @param acceptedPerSecond CONNACKs per second while going from base to total
   */
  record Result(double kilobytesPerConnection, double acceptedPerSecond, long residentKilobytes) {}

  private final List<LoadClient> clients = new ArrayList<>();

  Result run(ClientLoops loops, long brokerPid, int base, int total) throws Exception {
    try {
      for (int round = 0; round < WARM_UP_ROUNDS; round++) {
        open(loops, base);
        close();
        TimeUnit.MILLISECONDS.sleep(WARM_UP_PAUSE_MILLIS);
      }
      open(loops, base);
      TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
      long before = ProcessUsage.of(brokerPid).residentKilobytes();
      double perSecond = open(loops, total - base);
      TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
      long after = ProcessUsage.of(brokerPid).residentKilobytes();
      return new Result((after - before) / (double) (total - base), perSecond, after);
    } finally {
      close();
    }
  }

  private void close() {
    clients.stream()
        .filter(client -> !client.connected().isCompletedExceptionally())
        .forEach(client -> client.channel().close());
    clients.clear();
  }

  /** Returns the rate per second. */
  private double open(ClientLoops loops, int count) throws Exception {
    long start = System.nanoTime();
    Waves waves = new Waves(WAVE);
    for (int i = 0; i < count; i++) {
      LoadClient client =
          new LoadClient("idle-" + clients.size(), true, LoadClient.Receiver.NOTHING);
      clients.add(client);
      waves.add(loops.connect(client));
    }
    waves.await();
    return count * 1e9 / (System.nanoTime() - start);
  }
}
