package io.fjordmq.perf;

/** Many offline clients return at once and fetch their queued messages. */
record DrainFigure() implements Workload {
  private static final int SESSIONS = 20;
  private static final int QUEUED = 5_000;
  private static final int PAYLOAD_BYTES = 256;

  @Override
  public String name() {
    return "offline drain, 256 B: "
        + SESSIONS
        + " sessions x "
        + QUEUED
        + " queued, rates not limited";
  }

  @Override
  public boolean limited() {
    return false;
  }

  @Override
  public Measures run(ClientLoops loops, long brokerPid) throws Exception {
    QueuedSessions sessions = new QueuedSessions("", SESSIONS, QUEUED, PAYLOAD_BYTES);
    sessions.fill(loops);
    QueuedSessions.Drained drained = sessions.drain(loops, brokerPid);
    sessions.discard(loops);
    return new Measures()
        .compared("msg/s out", drained.messagesPerSecond())
        .compared("us CPU/msg", drained.cpuMicrosPerMessage())
        .counted("missing", drained.missing())
        .counted("dup", drained.duplicated())
        .counted("disorder", drained.outOfOrder());
  }
}
