package io.fjordmq.perf;

/** Five thousand clients lose their connections and come back at once. */
record ReconnectFigure() implements Figure {
  private static final int CLIENTS = 5_000;

  @Override
  public String name() {
    return "reconnect storm, persistent: " + CLIENTS + " clients at once, a QoS 1 message for each";
  }

  @Override
  public Measures run(ClientLoops loops, long brokerPid) throws Exception {
    ReconnectLoad.Result result = new ReconnectLoad(loops, CLIENTS).run();
    return new Measures()
        .compared("s until all are connected", result.connectedSeconds())
        .compared("s until all are served", result.servedSeconds())
        .counted("refused with a reason", result.refused())
        .counted("without one", result.unanswered())
        .counted("missing", result.missing());
  }
}
