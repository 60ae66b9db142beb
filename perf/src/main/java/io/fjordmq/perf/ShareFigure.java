package io.fjordmq.perf;

/** A thousand publishers to the ten members of one shared subscription. */
record ShareFigure(int warmSeconds, int seconds) implements Figure {
  private static final int PUBLISHERS = 1_000;
  private static final int MEMBERS = 10;
  private static final int RATE = 10;

  @Override
  public String name() {
    return "shared, clean QoS 1, 256 B: " + PUBLISHERS + " x " + RATE + "/s to " + MEMBERS;
  }

  @Override
  public Measures run(ClientLoops loops, long brokerPid) throws Exception {
    try (ShareLoad load = new ShareLoad(loops, 1, RATE, 256)) {
      load.connect(PUBLISHERS, MEMBERS);
      ShareLoad.Result result = load.run(warmSeconds, seconds, brokerPid);
      return new Measures()
          .compared("us CPU/msg", result.cpuMicrosPerMessage())
          .shown("msg/s in+out", result.messagesPerSecond())
          .counted("missing", result.missing())
          .counted("dup", result.duplicated());
    }
  }
}
