package io.fjordmq.range.placement;

import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeId;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs the split decisions that matter to operators: a range that is to be split or merged, and a
 * busy range that is not split, with the reason. A decision is logged once, and again when it
 * changes or after ten minutes.
 */
final class SplitDecisionLog {
  private static final Logger LOG = LoggerFactory.getLogger(SplitDecisionLog.class);
  private static final long REPEAT_MILLIS = Duration.ofMinutes(10).toMillis();

  /** Decisions that are not logged: nothing is wrong, or it is too early to decide. */
  private static final Set<String> UNLOGGED = Set.of("cold", "too_short", "too_young", "off");

  private final String strategy;
  private final Map<RangeId, LoggedDecision> latest = new HashMap<>();

  /** The latest decision that was too slow; null if a timely decision followed. */
  private @Nullable String lastTooSlow;

  private record LoggedDecision(String decision, boolean requested, long atMillis) {}

  /**
   * @param strategy class name of the strategy
   */
  SplitDecisionLog(String strategy) {
    this.strategy = strategy;
  }

  synchronized void onReports(Map<RangeId, RangeLoadReport> reports, long nowMillis) {
    lastTooSlow = null;
    latest.keySet().retainAll(reports.keySet());
    reports.forEach((range, report) -> onReports(range, report, nowMillis));
  }

  private void onReports(RangeId range, RangeLoadReport report, long nowMillis) {
    String decision = report.decision();
    boolean requested = report.splitOff() != null;
    LoggedDecision before = latest.get(range);
    boolean alreadyLogged =
        before != null
            && before.decision.equals(decision)
            && before.requested == requested
            && nowMillis - before.atMillis < REPEAT_MILLIS;
    if (UNLOGGED.contains(decision) || alreadyLogged) {
      return; // keep the previous decision, so that alternating ones are not logged each time
    }
    latest.put(range, new LoggedDecision(decision, requested, nowMillis));
    boolean bySize = decision.equals(SplitMonitor.SPLIT_BY_SIZE);
    String load =
        "%,d requests/s, busy %d %%, %,d ns of storage each, %,d bytes"
            .formatted(
                report.requests(),
                report.busyPermille() / 10,
                report.storageNanosPerCommand(),
                report.bytes());
    if (requested) {
      String reason = bySize ? "size" : "load";
      LOG.info(
          "Requesting a split: {} ({}) range={} key={}", reason, load, range, splitKeyHex(report));
    } else if (report.mergeRequested()) {
      LOG.info(
          "Requesting a merge with the next range: both ranges are idle ({}) range={}",
          load,
          range);
    } else if (!decision.equals(SplitMonitor.SPLIT) && !bySize) { // splits wait their turn
      LOG.info("Not splitting a busy range: {} ({}) range={}", decision, load, range);
    }
  }

  private static String splitKeyHex(RangeLoadReport report) {
    KeyInterval part = report.splitOff();
    return part == null ? "" : HexFormat.of().formatHex(part.start());
  }

  synchronized void onTooSlow(String decision, Duration timeout) {
    if (decision.equals(lastTooSlow)) {
      return;
    }
    lastTooSlow = decision;
    if (decision.equals(SplitMonitor.STORAGE_TOO_SLOW)) {
      LOG.warn(
          "State storage did not report range sizes within {} ms; splits and "
              + "merges are paused; check the disk",
          timeout.toMillis());
    } else {
      LOG.warn(
          "Split strategy did not return within {} ms; splits and merges are paused "
              + "strategy={}",
          timeout.toMillis(),
          strategy);
    }
  }
}
