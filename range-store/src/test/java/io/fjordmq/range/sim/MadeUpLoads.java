package io.fjordmq.range.sim;

import io.fjordmq.cluster.consensus.sim.Simulation;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.placement.ShapeReport;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;

/**
 * What ranges have to do, said in place of what was measured: a simulated cluster does too little
 * for placement to go by it. The same wherever a range is led, until {@link #change}.
 */
final class MadeUpLoads {
  private static final long LONG_ENOUGH_SECONDS = 60;
  private static final int MOST = 9_000;

  private final Simulation simulation;
  private final Map<Long, Long> writes = new TreeMap<>();

  MadeUpLoads(Simulation simulation) {
    this.simulation = simulation;
  }

  /** Commands per second of a range, by its number. */
  long of(RangeId range) {
    return writes.computeIfAbsent(
        range.number(), number -> simulation.between(0, 2) * simulation.between(0, MOST));
  }

  /** All ranges have something else to do from now on. */
  void change() {
    writes.clear();
  }

  /** The same reports with these loads, which are drawn in an order that is always the same. */
  Map<RangeId, ShapeReport> in(Map<RangeId, ShapeReport> measured) {
    Map<RangeId, ShapeReport> said = new TreeMap<>(Comparator.comparingLong(RangeId::number));
    said.putAll(measured);
    said.replaceAll((range, report) -> with(report, of(range)));
    return said;
  }

  private static ShapeReport with(ShapeReport report, long load) {
    return new ShapeReport(
        LONG_ENOUGH_SECONDS,
        load,
        load,
        report.busyPermille(),
        report.nanos(),
        report.bytes(),
        report.decision(),
        report.splitOff(),
        report.merge(),
        report.idle());
  }
}
