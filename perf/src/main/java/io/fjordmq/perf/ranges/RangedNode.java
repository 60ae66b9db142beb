package io.fjordmq.perf.ranges;

import io.fjordmq.perf.BrokerProcess;
import io.fjordmq.perf.FreePorts;
import io.fjordmq.perf.machine.BrokerWatch;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A single node with a given set of ranges. */
final class RangedNode implements AutoCloseable {
  private static final int ASK_SECONDS = 10;

  /** The default settings: the node splits and merges ranges automatically. */
  static final String AUTOMATIC = "";

  private final BrokerProcess process;
  private final BrokerWatch watch;

  private RangedNode(BrokerProcess process, BrokerWatch watch) {
    this.process = process;
    this.watch = watch;
  }

  /**
   * Configuration for a fixed number of equal inbox ranges.
   *
   * @param inboxRanges 1 to 4,096
   */
  static String byHand(int inboxRanges) {
    return """
    storeConfig:
      dist:
        splitByLoad: false
      inbox:
        splitByLoad: false
      retain:
        splitByLoad: false
    splitConfig:
      mergeAfter: 0 s
    inboxConfig:
      initialRanges: %d
    """
        .formatted(inboxRanges);
  }

  /**
   * @param shape {@link #AUTOMATIC} or additional lines of its configuration
   */
  static RangedNode start(String name, Path checkout, Path directory, String shape)
      throws IOException, InterruptedException {
    int port = FreePorts.one();
    int httpPort = FreePorts.one();
    String configuration = BrokerProcess.oneNode(port, httpPort, shape);
    BrokerProcess process =
        BrokerProcess.started(name, checkout, directory, port, configuration, true);
    URI metrics = URI.create("http://127.0.0.1:" + httpPort + "/metrics");
    return new RangedNode(process, new BrokerWatch(List.of(process.pid()), List.of(metrics)));
  }

  BrokerProcess process() {
    return process;
  }

  /** How many ranges of that store it leads. */
  int ranges(String store) throws Exception {
    List<Integer> led = watch.rangesLed(store).get(ASK_SECONDS, TimeUnit.SECONDS);
    if (led.isEmpty()) {
      throw new IOException(
          process.name() + " does not report at /metrics how many ranges it leads");
    }
    return led.get(0);
  }

  @Override
  public void close() {
    process.close();
  }
}
