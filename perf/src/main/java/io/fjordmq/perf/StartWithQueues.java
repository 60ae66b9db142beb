package io.fjordmq.perf;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Measures the startup time of a node, until the first CONNACK, with a million messages in its
 * inboxes.
 */
final class StartWithQueues {
  static final String NAME = "start with 1,000,000 messages queued, 256 B";

  private static final int SESSIONS = 20;
  private static final int QUEUED = 50_000;
  private static final int PAYLOAD_BYTES = 256;

  private final Path checkout;
  private final Path directory;

  /**
   * @param directory for its data, empty
   */
  StartWithQueues(Path checkout, Path directory) {
    this.checkout = checkout;
    this.directory = directory;
  }

  /** Fills the inboxes and prints the time of each start after that. */
  void measure(int starts) throws Exception {
    QueuedSessions sessions = new QueuedSessions("start-", SESSIONS, QUEUED, PAYLOAD_BYTES);
    System.out.printf("%n%s%n", NAME);
    try (BrokerProcess broker = start();
        ClientLoops loops = new ClientLoops(broker.address(), 2)) {
      long start = System.nanoTime();
      sessions.fill(loops);
      print("with nothing stored", broker);
      double seconds = (System.nanoTime() - start) / 1e9;
      System.out.printf(Locale.ROOT, "  filled with %.0f msg/s%n", SESSIONS * QUEUED / seconds);
    }
    for (int i = 0; i < starts; i++) {
      try (BrokerProcess broker = start()) {
        print("with them", broker);
      }
    }
  }

  private BrokerProcess start() throws IOException, InterruptedException {
    String limits = "sessionConfig:\n  writeBytesPerSecond: 0\n  readBytesPerSecond: 0\n";
    return BrokerProcess.fjordmq("fjordmq", checkout, directory, limits);
  }

  private static void print(String what, BrokerProcess broker) {
    System.out.printf(
        Locale.ROOT,
        "  %s: first CONNACK after %.2f s, %.0f MB%n",
        what,
        broker.startSeconds(),
        broker.idleKilobytes() / 1024.0);
  }
}
