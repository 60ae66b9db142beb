package io.fjordmq.broker.limits;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides from readings whether the node has too much to do. One state with hysteresis: it begins
 * with the first measure at its upper threshold, and ends when all have stayed below their lower
 * ones for a while.
 *
 * <p>{@link #check} is called by one thread; everything else may be asked by any.
 */
public final class OverloadGuard implements Overload {
  private static final Logger LOG = LoggerFactory.getLogger(OverloadGuard.class);

  /** What can be too much. */
  private enum Cause {
    HEAP,
    DIRECT_MEMORY,
    LOOP_LAG
  }

  private final OverloadSettings settings;
  private final LongSupplier nowMillis;
  private final FileDescriptors descriptors;
  private long beganMillis;
  private long lastAgitatedMillis;
  private long nextEndStuckMillis;
  private volatile OverloadReading last = OverloadReading.CALM;
  private volatile boolean overloaded;

  /**
   * @param nowMillis of a clock that is never set
   */
  OverloadGuard(OverloadSettings settings, LongSupplier nowMillis, FileDescriptors descriptors) {
    this.settings = settings;
    this.nowMillis = nowMillis;
    this.descriptors = descriptors;
  }

  @Override
  public boolean admitConnection() {
    return descriptors.admit();
  }

  @Override
  public void connectionEnded() {
    descriptors.ended();
  }

  /** Counts file descriptors if it is time. May be slow; one thread. */
  void countDescriptors() {
    descriptors.look();
  }

  /**
   * Guards this process.
   *
   * @param mostDescriptors file descriptors that the configuration allows; a lower limit of the
   *     process is warned of
   */
  public static OverloadGuard ofProcess(OverloadSettings settings, long mostDescriptors) {
    LongSupplier nowMillis = () -> System.nanoTime() / 1_000_000;
    FileDescriptors descriptors =
        new FileDescriptors(
            FileDescriptors::ofThisProcess, settings.reservedDescriptors(), nowMillis);
    descriptors.warnIfFewerThan(mostDescriptors);
    return new OverloadGuard(settings, nowMillis, descriptors);
  }

  @Override
  public boolean isOverloaded() {
    return overloaded;
  }

  /** The last reading. */
  public OverloadReading reading() {
    return last;
  }

  /** One line for each measure that is too high; empty if new work and clients are taken. */
  public List<String> reasons() {
    List<String> reasons = new ArrayList<>(overloaded ? describe(last) : List.of());
    reasons.addAll(descriptors.reasons());
    return reasons;
  }

  /** True if the heap, as it was read last, is among what keeps the node overloaded. */
  boolean isOverloadedByHeap() {
    return overloaded && last.heapPercent() >= settings.heapLowPercent();
  }

  /**
   * Decides.
   *
   * @return true if memory is short and clients that do not read should go; from time to time
   */
  public boolean check(OverloadReading reading) {
    last = reading;
    if (!settings.enabled()) {
      return false;
    }
    long now = nowMillis.getAsLong();
    Set<Cause> above = above(reading, true);
    if (!overloaded && !above.isEmpty()) {
      begin(now, reading);
    }
    if (!overloaded) {
      return false;
    }
    Set<Cause> high = above(reading, false);
    if (!high.isEmpty()) {
      lastAgitatedMillis = now;
    } else if (now - lastAgitatedMillis >= settings.calmTime().toMillis()) {
      overloaded = false;
      LOG.info("Overload ended; accepting new work again ms={}", now - beganMillis);
      return false;
    }
    boolean memory = high.contains(Cause.HEAP) || high.contains(Cause.DIRECT_MEMORY);
    if (!memory || now < nextEndStuckMillis) {
      return false;
    }
    nextEndStuckMillis = now + settings.stuckAfter().toMillis();
    return true;
  }

  private void begin(long now, OverloadReading reading) {
    overloaded = true;
    beganMillis = now;
    lastAgitatedMillis = now;
    nextEndStuckMillis = now;
    LOG.warn("Overloaded; rejecting new work: {}", String.join(", ", describe(reading)));
  }

  private Set<Cause> above(OverloadReading reading, boolean upper) {
    EnumSet<Cause> causes = EnumSet.noneOf(Cause.class);
    if (reading.heapPercent() >= (upper ? settings.heapHighPercent() : settings.heapLowPercent())) {
      causes.add(Cause.HEAP);
    }
    if (reading.directPercent()
        >= (upper ? settings.directHighPercent() : settings.directLowPercent())) {
      causes.add(Cause.DIRECT_MEMORY);
    }
    if (reading.loopLagMillis()
        >= (upper ? settings.loopLagHigh() : settings.loopLagLow()).toMillis()) {
      causes.add(Cause.LOOP_LAG);
    }
    return causes;
  }

  private List<String> describe(OverloadReading reading) {
    List<String> lines = new ArrayList<>();
    for (Cause cause : above(reading, false)) {
      lines.add(
          switch (cause) {
            case HEAP ->
                "heap after garbage collection %d %% (overloadConfig.heapHighPercent %d)"
                    .formatted(reading.heapPercent(), settings.heapHighPercent());
            case DIRECT_MEMORY ->
                "direct memory %d %% (overloadConfig.directHighPercent %d)"
                    .formatted(reading.directPercent(), settings.directHighPercent());
            case LOOP_LAG ->
                "an event loop is %d ms late (overloadConfig.loopLagHigh %d ms)"
                    .formatted(reading.loopLagMillis(), settings.loopLagHigh().toMillis());
          });
    }
    return lines.isEmpty() ? List.of("overloaded a moment ago") : lines;
  }
}
