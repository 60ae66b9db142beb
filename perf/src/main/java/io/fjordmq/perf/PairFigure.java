package io.fjordmq.perf;

import java.util.List;
import org.HdrHistogram.Histogram;

/** A hundred publishers with one subscriber each. */
record PairFigure(PairWork work) implements Workload {
  private static final int PAIRS = 100;
  private static final int RATE = 100;

  PairFigure(String name, int payloadBytes, int qos, boolean persistent, int warm, int seconds) {
    this(new PairWork(name, PAIRS, RATE, payloadBytes, qos, persistent, warm, seconds));
  }

  @Override
  public String name() {
    return work.name() + ": " + work.pairs() + " pairs x " + work.ratePerSecond() + "/s";
  }

  @Override
  public Measures run(ClientLoops loops, long brokerPid) throws Exception {
    PairResult result = new PairLoad(work).run(loops, List.of(brokerPid));
    return new Measures()
        .compared("us CPU/msg", result.cpuMicrosPerMessage())
        .shown("msg/s in+out", (result.sent() + result.received()) / (double) result.seconds())
        .shown("deliver ms p50", millis(result.delivery(), 50))
        .shown("p99", millis(result.delivery(), 99))
        .shown("PUBACK ms p50", millis(result.acknowledgement(), 50))
        .shown("p99", millis(result.acknowledgement(), 99))
        .shown("B written/msg", result.writtenBytesPerMessage())
        .shown("MB", result.residentKilobytes() / 1024.0)
        .counted("missing", result.missing())
        .counted("dup", result.duplicated())
        .counted("disorder", result.outOfOrder());
  }

  private static double millis(Histogram histogram, double percentile) {
    return histogram.getValueAtPercentile(percentile) / 1000.0;
  }
}
