package io.fjordmq.perf;

/**
 * A thousand publishers to the ten members of a shared subscription; the same publishers with one
 * subscriber each; and a hundred pairs with the same total rate. The arrival pattern of messages
 * determines their cost, so all three use the same kind of schedule: one timer per publisher.
 */
record ShareFigure(int warmSeconds, int seconds) implements Workload {
  private static final int PUBLISHERS = 1_000;
  private static final int MEMBERS = 10;
  private static final int RATE = 10;
  private static final int FEW = 100;

  @Override
  public String name() {
    return "shared, clean QoS 1, 256 B: " + PUBLISHERS + " x " + RATE + "/s to " + MEMBERS;
  }

  @Override
  public Measures run(ClientLoops loops, long brokerPid) throws Exception {
    ShareLoad.Result share = run(loops, brokerPid, true, PUBLISHERS, MEMBERS);
    ShareLoad.Result own = run(loops, brokerPid, false, PUBLISHERS, PUBLISHERS);
    ShareLoad.Result few = run(loops, brokerPid, false, FEW, FEW);
    return new Measures()
        .compared("us CPU/msg", share.cpuMicrosPerMessage())
        .compared(PUBLISHERS + " pairs", own.cpuMicrosPerMessage())
        .compared(FEW + " pairs", few.cpuMicrosPerMessage())
        .shown("shared / " + PUBLISHERS, share.cpuMicrosPerMessage() / own.cpuMicrosPerMessage())
        .shown("shared / " + FEW, share.cpuMicrosPerMessage() / few.cpuMicrosPerMessage())
        .shown("msg/s in+out", share.messagesPerSecond())
        .counted("missing", share.missing() + own.missing() + few.missing())
        .counted("dup", share.duplicated() + own.duplicated() + few.duplicated())
        .counted("out of order", share.outOfOrder() + own.outOfOrder() + few.outOfOrder())
        .counted("misrouted", share.misrouted() + own.misrouted() + few.misrouted());
  }

  private ShareLoad.Result run(
      ClientLoops loops, long brokerPid, boolean shared, int publishers, int subscribers)
      throws Exception {
    int rate = RATE * PUBLISHERS / publishers;
    try (ShareLoad load = new ShareLoad(loops, shared, 1, rate, 256)) {
      load.connect(publishers, subscribers);
      return load.run(warmSeconds, seconds, brokerPid);
    }
  }
}
