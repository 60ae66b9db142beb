package io.fjordmq.range.placement;

import io.fjordmq.api.plugin.NodeLoad;
import io.fjordmq.api.plugin.SplitAdvice;
import io.fjordmq.api.plugin.SplitStrategy;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.Timers;
import io.fjordmq.range.load.HalvingCut;
import io.fjordmq.range.load.RangeSize;
import io.fjordmq.range.load.ShapeSettings;
import io.fjordmq.range.load.SplitPlanner;
import io.fjordmq.range.store.LedRange;
import io.fjordmq.range.store.RangeSizes;
import io.fjordmq.range.store.RangeStore;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.DoubleSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Judges once a second what should become of the ranges that this node leads, and says so in its
 * reports to the placement driver, which has it done (decision 0026). A wish is said for as long as
 * it stands, so that none gets lost. {@link #reports} may be called by any thread.
 */
public final class SplitMonitor implements AutoCloseable {
  /*
   * The timer measures the load, the judge measures the sizes and asks the strategy: storage or a
   * strategy that hangs keeps nothing but the judge waiting. One judgement at a time; the plan and
   * the wish belong to whoever holds it.
   */
  private static final long PERIOD_MILLIS = 1_000;

  static final String SPLIT = "split";
  static final String SPLIT_BY_SIZE = "split_by_size";
  static final String MERGE = "merge";
  static final String STORAGE_TOO_SLOW = "storage_too_slow";

  /** Everything that an observer can be told of a range. */
  public static final List<String> DECISIONS =
      Stream.concat(
              Stream.of(SPLIT, SPLIT_BY_SIZE, MERGE, STORAGE_TOO_SLOW),
              Arrays.stream(SplitAdvice.Reason.values()).map(SplitMonitor::decision))
          .toList();

  private final RangeStore store;
  private final SplitPlanner plan;
  private final ShapeSettings settings;
  private final DoubleSupplier cpu;
  private final Timers timers;
  private final Executor judge;
  private final RangeObserver observer;
  private final SplitDecisionLog news;
  private final RangeSizes storage;
  private long lastMillis;
  private volatile @Nullable Evaluation running;
  private volatile List<LedRange> measured = List.of();
  private volatile Map<RangeId, ShapeReport> reports = Map.of();
  private volatile boolean closed;

  /** Of the one judgement. */
  private @Nullable Request request;

  private final KnownSizes sizes;

  /**
   * What this node asks for, of a range in the shape that it had then.
   *
   * @param splitOff keys of the new range; null to merge it with the next
   */
  private record Request(
      RangeId range, long version, @Nullable KeyInterval splitOff, long untilMillis) {
    boolean isOf(LedRange led) {
      return led.descriptor().id().equals(range) && led.descriptor().epoch().version() == version;
    }
  }

  /**
   * What is being judged.
   *
   * @param sizesKnown whether the strategy is being asked; before that, sizes are measured
   * @param sinceMillis when that step began
   */
  private record Evaluation(List<LedRange> led, int ranges, boolean sizesKnown, long sinceMillis) {}

  /**
   * @param cpu share of all processors in use, 0 to 1
   * @param judge where sizes are measured and the strategy is asked; may be kept waiting by both
   */
  public SplitMonitor(
      RangeStore store,
      SplitStrategy strategy,
      ShapeSettings settings,
      DoubleSupplier cpu,
      Timers timers,
      Executor judge,
      RangeObserver observer) {
    this(
        store,
        strategy,
        settings,
        cpu,
        timers,
        judge,
        observer,
        new KnownSizes(
            store.sizes()::bytes, store.sizes()::withHalvingKey, settings.maxRangeBytes()));
  }

  SplitMonitor(
      RangeStore store,
      SplitStrategy strategy,
      ShapeSettings settings,
      DoubleSupplier cpu,
      Timers timers,
      Executor judge,
      RangeObserver observer,
      KnownSizes sizes) {
    this.store = store;
    this.storage = store.sizes();
    this.sizes = sizes;
    this.plan = new SplitPlanner(strategy, settings);
    this.settings = settings;
    this.cpu = cpu;
    this.timers = timers;
    this.judge = judge;
    this.observer = observer;
    this.news = new SplitDecisionLog(strategy.getClass().getName());
  }

  /** Measures and judges from now on. */
  public void start() {
    lastMillis = timers.nowMillis();
    again();
  }

  private void again() {
    timers.schedule(
        PERIOD_MILLIS,
        () -> {
          if (!closed) {
            again();
            look();
          }
        });
  }

  /** What this node says of the ranges that it leads; those just begun to lead are missing. */
  public Map<RangeId, ShapeReport> reports() {
    return reports;
  }

  /**
   * Where a range would be split if somebody asks for that.
   *
   * @param key null if that is not known
   * @param whyNot empty if it is
   */
  @SuppressWarnings("ArrayRecordComponent") // a carrier; never compared
  record Halving(byte @Nullable [] key, String whyNot) {}

  /**
   * Where the load of a range is halved; where what it holds is, if fewer than 64 rows were sampled
   * or all of them are one. Empty if this node has not led the range for some seconds.
   */
  CompletableFuture<Optional<Halving>> halving(RangeId range) {
    LedRange led =
        measured.stream()
            .filter(one -> one.descriptor().id().equals(range))
            .findFirst()
            .orElse(null);
    if (led == null) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    if (!led.logCut()) {
      String why =
          "the log of range %s still has its first entry; it can be split after a checkpoint or two";
      return CompletableFuture.completedFuture(
          Optional.of(new Halving(null, why.formatted(range))));
    }
    List<byte[]> sample = led.load().keys();
    byte[] byLoad = HalvingCut.nearest(sample);
    if (HalvingCut.isEnough(sample) && isInside(led, byLoad)) {
      return CompletableFuture.completedFuture(Optional.of(new Halving(byLoad, "")));
    }
    return storage
        .halve(led.descriptor())
        .thenApply(
            size -> {
              byte[] key = size.halvingKey();
              return Optional.of(
                  isInside(led, key)
                      ? new Halving(key, "")
                      : new Halving(null, whyNot(led, size.searchAbandoned())));
            });
  }

  private static String whyNot(LedRange led, boolean searchAbandoned) {
    RangeId range = led.descriptor().id();
    return searchAbandoned
        ? "the search for the key to split range %s at was abandoned: too many deleted rows are not"
                .formatted(range)
            + " compacted yet; try again in some minutes"
        : "range %s holds too few keys to be split: all of them belong to one place (inbox bucket,"
                .formatted(range)
            + " topic or filter), which is never cut";
  }

  private static boolean isInside(LedRange led, byte @Nullable [] key) {
    KeyInterval keys = led.descriptor().interval();
    return key != null && keys.contains(key) && !Arrays.equals(keys.start(), key);
  }

  private void look() {
    long now = timers.nowMillis();
    List<LedRange> led = store.measure((now - lastMillis) * 1_000_000, settings.idleWindow());
    lastMillis = now;
    measured = led;
    Evaluation before = running;
    if (before != null) {
      if (isLate(before)) {
        tooSlow(before, led);
      }
      return;
    }
    Evaluation next = new Evaluation(led, store.size(), false, now);
    running = next;
    try {
      judge.execute(() -> decide(next));
    } catch (RejectedExecutionException e) {
      running = null; // the node ends
    }
  }

  private boolean isLate(Evaluation evaluation) {
    return timers.nowMillis() - evaluation.sinceMillis() > settings.patience().toMillis();
  }

  private void decide(Evaluation begun) {
    try {
      sizes.look(begun.led(), begun.sinceMillis());
      // The strategy's patience begins here: slow storage is not its fault.
      Evaluation now = new Evaluation(begun.led(), begun.ranges(), true, timers.nowMillis());
      running = now;
      SplitPlanner.Step step =
          plan.next(
                  now.led().stream().map(this::asked).toList(),
                  new NodeLoad(cpu.getAsDouble(), now.ranges(), settings.maxRanges()),
                  now.sinceMillis())
              .orElse(null);
      if (isLate(now)) {
        tooSlow(now, now.led());
      } else {
        say(now, step);
      }
    } finally {
      running = null;
    }
  }

  private SplitPlanner.Led asked(LedRange range) {
    KeyInterval keys = range.descriptor().interval();
    return new SplitPlanner.Led(
        range.load(), keys.start(), keys.end(), range.logCut(), sizes.of(range));
  }

  private void say(Evaluation now, SplitPlanner.@Nullable Step step) {
    Map<String, SplitAdvice> advice = plan.latest();
    Map<RangeId, ShapeReport> said = new HashMap<>();
    for (LedRange range : now.led()) {
      if (step != null && step.range().equals(range.load().range())) {
        request = wish(range, step, now.sinceMillis());
      }
      RangeId id = range.descriptor().id();
      ShapeReport report =
          report(
              range,
              advice.get(id.toString()),
              plan.idle().contains(id.toString()),
              now.sinceMillis());
      said.put(id, report);
      observer.judged(id, report.decision());
    }
    news.onReports(said, now.sinceMillis());
    reports = Map.copyOf(said);
  }

  private Request wish(LedRange range, SplitPlanner.Step step, long nowMillis) {
    KeyInterval splitOff =
        step instanceof SplitPlanner.Step.Split split
            ? new KeyInterval(split.key(), range.descriptor().interval().end())
            : null;
    return new Request(
        range.descriptor().id(),
        range.descriptor().epoch().version(),
        splitOff,
        nowMillis + settings.pause().toMillis());
  }

  /** A wish stands until it is done, nobody wants it any more, or it is the turn of another. */
  private ShapeReport report(
      LedRange range, @Nullable SplitAdvice advice, boolean idle, long nowMillis) {
    Request mine = request != null && request.isOf(range) ? request : null;
    if (advice instanceof SplitAdvice.Keep keep) {
      boolean merge = mine != null && mine.splitOff() == null && nowMillis < mine.untilMillis();
      String decision = merge ? MERGE : decision(keep.reason());
      return ShapeReport.of(range, sizes.of(range), decision, null, merge, idle);
    }
    String decision = plan.tooLarge().contains(range.load().range()) ? SPLIT_BY_SIZE : SPLIT;
    KeyInterval splitOff = mine == null ? null : mine.splitOff();
    return ShapeReport.of(range, sizes.of(range), decision, splitOff, false, false);
  }

  private static String decision(SplitAdvice.Reason reason) {
    return reason.name().toLowerCase(Locale.ROOT);
  }

  /** All stay as they are. */
  private void tooSlow(Evaluation late, List<LedRange> led) {
    String decision = late.sizesKnown() ? decision(SplitAdvice.Reason.TOO_SLOW) : STORAGE_TOO_SLOW;
    Map<RangeId, ShapeReport> said = new HashMap<>();
    for (LedRange range : led) {
      RangeId id = range.descriptor().id();
      said.put(id, ShapeReport.of(range, RangeSize.UNKNOWN, decision, null, false, false));
    }
    reports = Map.copyOf(said);
    said.keySet().forEach(id -> observer.judged(id, decision));
    news.tooSlow(decision, settings.patience());
  }

  /** Nothing is judged any more. */
  @Override
  public void close() {
    closed = true;
    reports = Map.of();
  }
}
