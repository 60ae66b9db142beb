package io.fjordmq.perf;

/** Five thousand clients lose their connections and reconnect at once. */
record ReconnectFigure() implements Workload {
  private static final int CLIENTS = 5_000;

  @Override
  public String name() {
    return "reconnect storm, persistent: " + CLIENTS + " clients at once, a QoS 1 message for each";
  }

  @Override
  public Measures run(ClientLoops loops, long brokerPid) throws Exception {
    ReconnectLoad.Result result = new ReconnectLoad(loops, CLIENTS).run();
    return new Measures()
        .compared("s until all connected", result.connectedSeconds())
        .compared("s until all received", result.servedSeconds())
        .counted("refused", result.refused())
        .counted("closed without CONNACK", result.unanswered())
        .counted("missing", result.missing());
  }
}
