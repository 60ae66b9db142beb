package io.fjordmq.perf;

/**
 * A thousand publishers to the ten members of one shared subscription, and the same publishers each
 * to a subscriber of its own. How the messages of as many clients come in decides what they cost,
 * so a share is compared with that and not with fewer clients that send more each.
 */
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
    ShareLoad.Result share = run(loops, brokerPid, true, MEMBERS);
    ShareLoad.Result own = run(loops, brokerPid, false, PUBLISHERS);
    return new Measures()
        .compared("us CPU/msg", share.cpuMicrosPerMessage())
        .compared("1:1 us CPU/msg", own.cpuMicrosPerMessage())
        .shown("shared / 1:1", share.cpuMicrosPerMessage() / own.cpuMicrosPerMessage())
        .shown("msg/s in+out", share.messagesPerSecond())
        .counted("missing", share.missing() + own.missing())
        .counted("dup", share.duplicated() + own.duplicated());
  }

  private ShareLoad.Result run(ClientLoops loops, long brokerPid, boolean shared, int members)
      throws Exception {
    try (ShareLoad load = new ShareLoad(loops, shared, 1, RATE, 256)) {
      load.connect(PUBLISHERS, members);
      return load.run(warmSeconds, seconds, brokerPid);
    }
  }
}
