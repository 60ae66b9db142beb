package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.membership.LeaderResponse.NotRenewed;
import io.fjordmq.common.Timers;
import org.jspecify.annotations.Nullable;

/**
 * The lease of this node: until when it is valid, and why it was not renewed. Written by the
 * membership thread, read by any thread.
 */
final class NodeLease {
  private static final int OVERDUE_DIVISOR = 5;
  private static final String NO_RESPONSE = "the metadata leader does not respond";

  private final MembershipSettings settings;
  private final Timers timers;
  private final ClockWatch clock;
  private volatile long untilMillis;
  private volatile String notRenewedReason = NO_RESPONSE;

  NodeLease(MembershipSettings settings, Timers timers, ClockWatch clock) {
    this.settings = settings;
    this.timers = timers;
    this.clock = clock;
    this.untilMillis = timers.nowMillis();
  }

  boolean isValid() {
    return timers.nowMillis() - untilMillis < 0 && clock.wasRenewedWithin(settings.lease());
  }

  /** Returns the time until the lease expires unless it is renewed; 0 if it is not valid. */
  long remainingMillis() {
    return isValid() ? Math.max(0, untilMillis - timers.nowMillis()) : 0;
  }

  /** Returns why the lease is not valid, if it is not. */
  String expiredReason() {
    return "lease expired: " + notRenewedReason;
  }

  /**
   * Returns the time until the next renewal: shorter when one is overdue, as the leader may have
   * changed.
   */
  long renewalIntervalMillis() {
    long heartbeat = settings.heartbeat().toMillis();
    long sinceRenewalMillis = timers.nowMillis() - untilMillis + settings.lease().toMillis();
    return sinceRenewalMillis > 2 * heartbeat ? heartbeat / OVERDUE_DIVISOR : heartbeat;
  }

  /**
   * Must be called for every response to a renewal.
   *
   * @param response null if there was none
   */
  void onResponse(@Nullable LeaderResponse response) {
    notRenewedReason = response instanceof NotRenewed refused ? refused.reason() : NO_RESPONSE;
  }

  /** Renews the lease after the leader has granted a renewal that was sent at this reading. */
  void renew(ClusterClock.Reading sent) {
    untilMillis = Math.max(untilMillis, sent.monotonicMillis() + settings.lease().toMillis());
  }
}
