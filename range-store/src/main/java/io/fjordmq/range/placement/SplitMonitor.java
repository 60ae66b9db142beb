package io.fjordmq.range.placement;

import io.fjordmq.api.plugin.NodeLoad;
import io.fjordmq.api.plugin.SplitAdvice;
import io.fjordmq.api.plugin.SplitStrategy;
import io.fjordmq.common.Timers;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.load.RangeSize;
import io.fjordmq.range.load.SplitMergeSettings;
import io.fjordmq.range.load.SplitPlanner;
import io.fjordmq.range.store.LedRange;
import io.fjordmq.range.store.RangeStore;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.DoubleSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides once a second whether the ranges that this node leads should be split or merged, and
 * requests the change in this node's reports to the placement driver, which carries it out
 * (decision 0026). A request is repeated for as long as it is pending, so that none gets lost.
 * {@link #reports} may be called on any thread.
 */
public final class SplitMonitor implements AutoCloseable {
  /*
   * The timer measures the load; the evaluator measures sizes and runs the strategy, so that slow
   * storage or a hanging strategy blocks only the evaluator. There is one evaluation at a time; the
   * planner and the request belong to the thread that runs it.
   */
  private static final long PERIOD_MILLIS = 1_000;

  static final String SPLIT = "split";
  static final String SPLIT_BY_SIZE = "split_by_size";
  static final String MERGE = "merge";
  static final String STORAGE_TOO_SLOW = "storage_too_slow";

  /** All decisions that are passed to observers. */
  public static final List<String> DECISIONS =
      Stream.concat(
              Stream.of(SPLIT, SPLIT_BY_SIZE, MERGE, STORAGE_TOO_SLOW),
              Arrays.stream(SplitAdvice.Reason.values()).map(SplitMonitor::decision))
          .toList();

  private final RangeStore store;
  private final SplitPlanner planner;
  private final SplitMergeSettings settings;
  private final DoubleSupplier cpu;
  private final Timers timers;
  private final Executor evaluator;
  private final RangeObserver observer;
  private final SplitDecisionLog decisionLog;
  private final SplitPointSearch splitPoints;
  private long lastMillis;
  private volatile @Nullable Evaluation running;
  private volatile List<LedRange> measuredRanges = List.of();
  private volatile Map<RangeId, RangeLoadReport> reports = Map.of();
  private volatile boolean closed;

  /** Used by the evaluation. */
  private @Nullable Request request;

  private final RangeSizeCache sizes;

  /**
   * A request by this node for a range at a certain epoch version.
   *
   * @param splitOff keys of the new range; null to merge the range with the next one
   */
  private record Request(
      RangeId range, long version, @Nullable KeyInterval splitOff, long untilMillis) {
    boolean isOf(LedRange ledRange) {
      return ledRange.descriptor().id().equals(range)
          && ledRange.descriptor().epoch().version() == version;
    }
  }

  /**
   * The evaluation in progress.
   *
   * @param sizesKnown true while the strategy runs; before that, sizes are measured
   * @param sinceMillis when this phase began
   */
  private record Evaluation(
      List<LedRange> ledRanges, int ranges, boolean sizesKnown, long sinceMillis) {}

  /**
   * @param splitByLoad stores whose ranges are split by load and merged
   * @param cpu share of all processors in use, 0 to 1
   * @param evaluator measures sizes and runs the strategy; both may block it
   */
  public SplitMonitor(
      RangeStore store,
      SplitStrategy strategy,
      Set<String> splitByLoad,
      SplitMergeSettings settings,
      DoubleSupplier cpu,
      Timers timers,
      Executor evaluator,
      RangeObserver observer) {
    this(
        store,
        strategy,
        splitByLoad,
        settings,
        cpu,
        timers,
        evaluator,
        observer,
        new RangeSizeCache(
            store.sizes()::bytes, store.sizes()::withHalvingKey, settings.maxRangeBytes()));
  }

  SplitMonitor(
      RangeStore store,
      SplitStrategy strategy,
      Set<String> splitByLoad,
      SplitMergeSettings settings,
      DoubleSupplier cpu,
      Timers timers,
      Executor evaluator,
      RangeObserver observer,
      RangeSizeCache sizes) {
    this.store = store;
    this.splitPoints = new SplitPointSearch(store.sizes());
    this.sizes = sizes;
    this.planner = new SplitPlanner(strategy, splitByLoad, settings);
    this.settings = settings;
    this.cpu = cpu;
    this.timers = timers;
    this.evaluator = evaluator;
    this.observer = observer;
    this.decisionLog = new SplitDecisionLog(strategy.getClass().getName());
  }

  /** Starts to measure and evaluate. */
  public void start() {
    lastMillis = timers.nowMillis();
    scheduleNext();
  }

  private void scheduleNext() {
    timers.schedule(
        PERIOD_MILLIS,
        () -> {
          if (!closed) {
            scheduleNext();
            evaluate();
          }
        });
  }

  /**
   * Returns the reports about the ranges that this node leads; ranges that it has only just begun
   * to lead are missing.
   */
  public Map<RangeId, RangeLoadReport> reports() {
    return reports;
  }

  /**
   * Returns the key at which a range would be split at an operator's request; see {@link
   * SplitPointSearch}. Empty if this node has not led the range for some seconds.
   */
  CompletableFuture<Optional<SplitPointSearch.SplitPoint>> splitPoint(RangeId range) {
    return measuredRanges.stream()
        .filter(ledRanges -> ledRanges.descriptor().id().equals(range))
        .findFirst()
        .map(ledRanges -> splitPoints.find(ledRanges).thenApply(Optional::of))
        .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty()));
  }

  private void evaluate() {
    long now = timers.nowMillis();
    List<LedRange> ledRanges = store.measure((now - lastMillis) * 1_000_000, settings.mergeAfter());
    lastMillis = now;
    measuredRanges = ledRanges;
    Evaluation before = running;
    if (before != null) {
      if (isLate(before)) {
        publishTooSlow(before, ledRanges);
      }
      return;
    }
    Evaluation next = new Evaluation(ledRanges, store.size(), false, now);
    running = next;
    try {
      evaluator.execute(() -> decide(next));
    } catch (RejectedExecutionException e) {
      running = null; // the node is shutting down
    }
  }

  private boolean isLate(Evaluation evaluation) {
    return timers.nowMillis() - evaluation.sinceMillis() > settings.strategyTimeout().toMillis();
  }

  private void decide(Evaluation evaluation) {
    try {
      sizes.refresh(evaluation.ledRanges(), evaluation.sinceMillis());
      // The time limit of the strategy starts now: slow storage does not count against it.
      Evaluation now =
          new Evaluation(evaluation.ledRanges(), evaluation.ranges(), true, timers.nowMillis());
      running = now;
      SplitPlanner.Step step =
          planner
              .next(
                  now.ledRanges().stream().map(this::candidate).toList(),
                  new NodeLoad(cpu.getAsDouble(), now.ranges(), settings.maxRanges()),
                  now.sinceMillis())
              .orElse(null);
      if (isLate(now)) {
        publishTooSlow(now, now.ledRanges());
      } else {
        publish(now, step);
      }
    } finally {
      running = null;
    }
  }

  private SplitPlanner.Candidate candidate(LedRange range) {
    KeyInterval keys = range.descriptor().interval();
    return new SplitPlanner.Candidate(
        range.load(), keys.start(), keys.end(), range.logTruncated(), sizes.get(range));
  }

  private void publish(Evaluation now, SplitPlanner.@Nullable Step step) {
    Map<String, SplitAdvice> advice = planner.latestAdvice();
    Map<RangeId, RangeLoadReport> next = new HashMap<>();
    for (LedRange range : now.ledRanges()) {
      if (step != null && step.range().equals(range.load().range())) {
        request = newRequest(range, step, now.sinceMillis());
      }
      RangeId id = range.descriptor().id();
      RangeLoadReport report =
          report(
              range,
              advice.get(id.toString()),
              planner.idle().contains(id.toString()),
              now.sinceMillis());
      next.put(id, report);
      observer.onSplitDecision(id, report.decision());
    }
    decisionLog.onReports(next, now.sinceMillis());
    reports = Map.copyOf(next);
  }

  private Request newRequest(LedRange range, SplitPlanner.Step step, long nowMillis) {
    KeyInterval splitOff =
        step instanceof SplitPlanner.Step.Split split
            ? new KeyInterval(split.key(), range.descriptor().interval().end())
            : null;
    return new Request(
        range.descriptor().id(),
        range.descriptor().epoch().version(),
        splitOff,
        nowMillis + settings.cooldown().toMillis());
  }

  /**
   * Creates the report about a range. A request stays pending until it is carried out, is no longer
   * needed, or is replaced by one for another range.
   */
  private RangeLoadReport report(
      LedRange range, @Nullable SplitAdvice advice, boolean idle, long nowMillis) {
    Request ownRequest = request != null && request.isOf(range) ? request : null;
    if (advice instanceof SplitAdvice.Keep keep) {
      boolean merge =
          ownRequest != null
              && ownRequest.splitOff() == null
              && nowMillis < ownRequest.untilMillis();
      String decision = merge ? MERGE : decision(keep.reason());
      return RangeLoadReport.of(range, sizes.get(range), decision, null, merge, idle);
    }
    String decision = planner.tooLarge().contains(range.load().range()) ? SPLIT_BY_SIZE : SPLIT;
    KeyInterval splitOff = ownRequest == null ? null : ownRequest.splitOff();
    return RangeLoadReport.of(range, sizes.get(range), decision, splitOff, false, false);
  }

  private static String decision(SplitAdvice.Reason reason) {
    return reason.name().toLowerCase(Locale.ROOT);
  }

  /** Publishes reports without requests: nothing is split or merged. */
  private void publishTooSlow(Evaluation slow, List<LedRange> ledRanges) {
    String decision = slow.sizesKnown() ? decision(SplitAdvice.Reason.TOO_SLOW) : STORAGE_TOO_SLOW;
    Map<RangeId, RangeLoadReport> next = new HashMap<>();
    for (LedRange range : ledRanges) {
      RangeId id = range.descriptor().id();
      next.put(id, RangeLoadReport.of(range, RangeSize.UNKNOWN, decision, null, false, false));
    }
    reports = Map.copyOf(next);
    next.keySet().forEach(id -> observer.onSplitDecision(id, decision));
    decisionLog.onTooSlow(decision, settings.strategyTimeout());
  }

  /** Stops evaluating and clears the reports. */
  @Override
  public void close() {
    closed = true;
    reports = Map.of();
  }
}
