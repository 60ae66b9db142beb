package io.fjordmq.range.sim;

import io.fjordmq.range.RangeId;
import io.fjordmq.range.placement.RangeLoadReport;
import io.fjordmq.testing.Simulation;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;

/**
 * Synthetic loads of ranges in place of measured ones, because a simulated cluster has too little
 * load for placement to act on. A range has the same load wherever it is led, until {@link
 * #changeAll}.
 */
final class SyntheticLoads {
  private static final long MEASURED_SECONDS = 60;
  private static final int MAX_LOAD = 9_000;

  private final Simulation simulation;
  private final Map<Long, Long> writes = new TreeMap<>();

  SyntheticLoads(Simulation simulation) {
    this.simulation = simulation;
  }

  /** Commands per second of a range, derived from its number. */
  long loadOf(RangeId range) {
    return writes.computeIfAbsent(
        range.number(), number -> simulation.between(0, 2) * simulation.between(0, MAX_LOAD));
  }

  /** Changes the loads of all ranges. */
  void changeAll() {
    writes.clear();
  }

  /** Returns the same reports with these loads, drawn in a deterministic order. */
  Map<RangeId, RangeLoadReport> applyTo(Map<RangeId, RangeLoadReport> measured) {
    Map<RangeId, RangeLoadReport> adjusted =
        new TreeMap<>(Comparator.comparingLong(RangeId::number));
    adjusted.putAll(measured);
    adjusted.replaceAll((range, report) -> withLoad(report, loadOf(range)));
    return adjusted;
  }

  private static RangeLoadReport withLoad(RangeLoadReport report, long load) {
    return new RangeLoadReport(
        MEASURED_SECONDS,
        load,
        load,
        report.busyPermille(),
        report.storageNanosPerCommand(),
        report.bytes(),
        report.decision(),
        report.splitOff(),
        report.mergeRequested(),
        report.idle());
  }
}
