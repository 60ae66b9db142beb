package io.fjordmq.perf;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Opens connections that do nothing, and weighs them: memory beyond the first thousand, and how
 * fast they come in.
 */
final class IdleLoad {
  private static final int WAVE = 256;
  private static final int SETTLE_SECONDS = 3;

  /**
   * @param kilobytesPerConnection between {@code base} and {@code total} connections
   * @param acceptedPerSecond CONNACKs a second while going from base to total
   */
  record Result(double kilobytesPerConnection, double acceptedPerSecond, long residentKilobytes) {}

  private final List<LoadClient> clients = new ArrayList<>();

  Result run(ClientLoops loops, long brokerPid, int base, int total) throws Exception {
    try {
      open(loops, base);
      TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
      long before = ProcessUsage.of(brokerPid).residentKilobytes();
      long start = System.nanoTime();
      open(loops, total - base);
      double seconds = (System.nanoTime() - start) / 1e9;
      TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
      long after = ProcessUsage.of(brokerPid).residentKilobytes();
      return new Result(
          (after - before) / (double) (total - base), (total - base) / seconds, after);
    } finally {
      clients.stream()
          .filter(client -> !client.connected().isCompletedExceptionally())
          .forEach(client -> client.channel().close());
    }
  }

  private void open(ClientLoops loops, int count) throws Exception {
    Waves waves = new Waves(WAVE);
    for (int i = 0; i < count; i++) {
      LoadClient client =
          new LoadClient("idle-" + clients.size(), true, LoadClient.Receiver.NOTHING);
      clients.add(client);
      waves.add(loops.connect(client));
    }
    waves.await();
  }
}
