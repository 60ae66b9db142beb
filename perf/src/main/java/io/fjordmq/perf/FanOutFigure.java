package io.fjordmq.perf;

/** One publisher to five thousand subscribers. */
record FanOutFigure(int qos) implements Workload {
  private static final int SUBSCRIBERS = 5_000;
  private static final int WARM_MESSAGES = 10;
  private static final int MESSAGES = 20;

  @Override
  public String name() {
    return "fan-out, clean QoS " + qos + ", 256 B: 1 to " + SUBSCRIBERS;
  }

  @Override
  public Measures run(ClientLoops loops, long brokerPid) throws Exception {
    try (FanOutLoad load = new FanOutLoad(loops, qos, 256)) {
      load.connect(SUBSCRIBERS);
      load.publish(WARM_MESSAGES, brokerPid);
      FanOutLoad.Result result = load.publish(MESSAGES, brokerPid);
      return new Measures()
          .compared("us CPU/delivery", result.cpuMicrosPerDelivery())
          .compared("ms until the last delivery", result.lastMillis())
          .counted("missing", result.missing())
          .counted("dup", result.duplicated())
          .counted("out of order", result.outOfOrder());
    }
  }
}
