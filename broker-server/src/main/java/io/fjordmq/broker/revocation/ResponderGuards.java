package io.fjordmq.broker.revocation;

import io.fjordmq.broker.providers.CallOutcome;
import io.fjordmq.broker.providers.GuardedService;
import io.fjordmq.broker.providers.ProviderMeter;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

/**
 * The guards of OCSP responders. Each responder has its own queue, circuit breaker and cache, so
 * that one that fails does not affect the others. The number of guards is bounded; beyond that,
 * further responders share one. Thread-safe; does not block.
 */
final class ResponderGuards implements AutoCloseable {
  /** A certificate authority has one or a few responders. */
  static final int MAX_RESPONDERS = 32;

  private static final String OTHERS = "other responders";

  private final BiFunction<String, ProviderMeter, GuardedService<OcspResponse>> opening;
  private final ProviderMeter meter;
  // Guarded by this.
  private final Map<String, GuardedService<OcspResponse>> guards = new HashMap<>();
  private int openBreakers;
  private boolean closed;

  /**
   * @param opening opens the guard of a responder, given its name
   * @param meter receives the events of all guards
   */
  ResponderGuards(
      BiFunction<String, ProviderMeter, GuardedService<OcspResponse>> opening,
      ProviderMeter meter) {
    this.opening = opening;
    this.meter = meter;
  }

  /** Returns the guard of a responder. */
  synchronized GuardedService<OcspResponse> of(URI responder) {
    String name = responder.toString();
    boolean full = guards.size() >= MAX_RESPONDERS && !guards.containsKey(name);
    GuardedService<OcspResponse> guard =
        guards.computeIfAbsent(full ? OTHERS : name, key -> opening.apply(key, new GuardMeter()));
    if (closed) {
      guard.close();
    }
    return guard;
  }

  /** Removes all cached responses. */
  synchronized void clearCaches() {
    guards.values().forEach(GuardedService::clearCache);
  }

  private synchronized void onBreaker(boolean open) {
    openBreakers += open ? 1 : -1;
    meter.onBreaker(openBreakers > 0);
  }

  @Override
  public void close() {
    List<GuardedService<OcspResponse>> open;
    synchronized (this) {
      closed = true;
      open = List.copyOf(guards.values());
    }
    open.forEach(GuardedService::close); // those who wait may ask the next responder at once
  }

  /** The circuit breaker of the check counts as open while that of any responder is. */
  private final class GuardMeter implements ProviderMeter {
    @Override
    public void onCall(CallOutcome outcome, long nanos) {
      meter.onCall(outcome, nanos);
    }

    @Override
    public void onCacheLookup(boolean hit) {
      meter.onCacheLookup(hit);
    }

    @Override
    public void addWaiting(int delta) {
      meter.addWaiting(delta);
    }

    @Override
    public void onBreaker(boolean open) {
      ResponderGuards.this.onBreaker(open);
    }
  }
}
