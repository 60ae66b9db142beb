package io.fjordmq.perf;

/** Connections without traffic. */
record IdleFigure() implements Workload {
  private static final int BASE = 1_000;
  private static final int TOTAL = 9_000;

  @Override
  public String name() {
    return "idle connections, " + BASE + " to " + TOTAL;
  }

  @Override
  public boolean repeatable() {
    return false; // the memory is already allocated after the first run
  }

  @Override
  public Measures run(ClientLoops loops, long brokerPid) throws Exception {
    IdleLoad.Result result = new IdleLoad().run(loops, brokerPid, BASE, TOTAL);
    return new Measures()
        .compared("KB each", result.kilobytesPerConnection())
        .compared("accepted/s", result.acceptedPerSecond())
        .shown("MB total", result.residentKilobytes() / 1024.0);
  }
}
