package io.fjordmq.broker.limits;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides from readings whether the node is overloaded. The state has hysteresis: overload begins
 * when any measure reaches its upper threshold, and ends when all measures have stayed below their
 * lower thresholds for some time.
 *
 * <p>{@link #check} must be called by a single thread; all other methods are thread-safe unless
 * stated otherwise.
 */
public final class OverloadGuard implements Overload {
  private static final Logger LOG = LoggerFactory.getLogger(OverloadGuard.class);

  /** A measure that can be too high. */
  private enum Cause {
    HEAP,
    DIRECT_MEMORY,
    LOOP_LAG
  }

  private volatile OverloadSettings settings;
  private final LongSupplier nowMillis;
  private final FileDescriptors descriptors;
  private long beganMillis;
  private long lastHighMillis;
  private long nextDisconnectMillis;
  private volatile OverloadReading last = OverloadReading.IDLE;
  private volatile boolean overloaded;

  /**
   * @param nowMillis a monotonic clock
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
  public void onConnectionClosed() {
    descriptors.onConnectionClosed();
  }

  /**
   * Counts file descriptors if the interval has elapsed. May be slow; must be called by a single
   * thread.
   */
  void countDescriptors() {
    descriptors.refresh();
  }

  /**
   * Creates a guard for this process.
   *
   * @param maxDescriptors the number of file descriptors that the configuration allows to be used;
   *     a warning is logged if the limit of the process is lower
   */
  public static OverloadGuard ofProcess(OverloadSettings settings, long maxDescriptors) {
    LongSupplier nowMillis = () -> System.nanoTime() / 1_000_000;
    FileDescriptors descriptors =
        new FileDescriptors(
            FileDescriptors::ofThisProcess, settings.reservedDescriptors(), nowMillis);
    descriptors.warnIfFewerThan(maxDescriptors);
    return new OverloadGuard(settings, nowMillis, descriptors);
  }

  /** Applies new thresholds from the next reading on. */
  public void setThresholds(OverloadSettings changed) {
    settings = changed;
  }

  @Override
  public boolean isOverloaded() {
    return overloaded;
  }

  /** The last reading. */
  public OverloadReading reading() {
    return last;
  }

  /** The file descriptors of this process, counted up to 30 s ago; the limit may be unknown. */
  public DescriptorUsage descriptors() {
    return descriptors.use();
  }

  /**
   * Returns one line for each measure that is too high; empty if the node accepts new work and
   * clients.
   */
  public List<String> reasons() {
    List<String> reasons = new ArrayList<>(overloaded ? describe(last) : List.of());
    reasons.addAll(descriptors.reasons());
    return reasons;
  }

  /** Whether the last heap reading keeps the node overloaded. */
  boolean isOverloadedByHeap() {
    return overloaded && last.heapPercent() >= settings.heapLowPercent();
  }

  /**
   * Updates the state with a new reading.
   *
   * @return whether the caller must now disconnect the clients that do not read; true once per
   *     {@code stuckAfter} while memory is short
   */
  public boolean check(OverloadReading reading) {
    last = reading;
    if (!settings.enabled()) {
      end();
      return false;
    }
    long now = nowMillis.getAsLong();
    Set<Cause> above = causesAbove(reading, true);
    if (!overloaded && !above.isEmpty()) {
      begin(now, reading);
    }
    if (!overloaded) {
      return false;
    }
    Set<Cause> high = causesAbove(reading, false);
    if (!high.isEmpty()) {
      lastHighMillis = now;
    } else if (now - lastHighMillis >= settings.recoveryTime().toMillis()) {
      end();
      return false;
    }
    boolean memory = high.contains(Cause.HEAP) || high.contains(Cause.DIRECT_MEMORY);
    if (!memory || now < nextDisconnectMillis) {
      return false;
    }
    nextDisconnectMillis = now + settings.stuckAfter().toMillis();
    return true;
  }

  private void end() {
    if (overloaded) {
      overloaded = false;
      LOG.info(
          "Overload ended; accepting new work again durationMs={}",
          nowMillis.getAsLong() - beganMillis);
    }
  }

  private void begin(long now, OverloadReading reading) {
    overloaded = true;
    beganMillis = now;
    lastHighMillis = now;
    nextDisconnectMillis = now;
    LOG.warn("Overloaded; rejecting new work: {}", String.join(", ", describe(reading)));
  }

  private Set<Cause> causesAbove(OverloadReading reading, boolean upper) {
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
    for (Cause cause : causesAbove(reading, false)) {
      lines.add(
          switch (cause) {
            case HEAP ->
                "heap after garbage collection %d %% (overloadConfig.heapHighPercent %d)"
                    .formatted(reading.heapPercent(), settings.heapHighPercent());
            case DIRECT_MEMORY ->
                "direct memory %d %% (overloadConfig.directHighPercent %d)"
                    .formatted(reading.directPercent(), settings.directHighPercent());
            case LOOP_LAG ->
                "event loop lag %d ms (overloadConfig.loopLagHigh %d ms)"
                    .formatted(reading.loopLagMillis(), settings.loopLagHigh().toMillis());
          });
    }
    return lines.isEmpty() ? List.of("recovering from overload") : lines;
  }
}
