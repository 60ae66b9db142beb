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

  private final long leaseMillis;
  private final long heartbeatMillis;
  private final Timers timers;
  private final ClusterClock clock;
  private volatile long untilMillis;
  private volatile String notRenewedReason = NO_RESPONSE;

  NodeLease(MembershipSettings settings, Timers timers, ClusterClock clock) {
    this.leaseMillis = settings.lease().toMillis();
    this.heartbeatMillis = settings.heartbeat().toMillis();
    this.timers = timers;
    this.clock = clock;
    this.untilMillis = timers.nowMillis();
  }

  boolean isValid() {
    return timers.nowMillis() - untilMillis < 0 && clock.wasRenewedWithin(leaseMillis);
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
    long sinceRenewalMillis = timers.nowMillis() - untilMillis + leaseMillis;
    return sinceRenewalMillis > 2 * heartbeatMillis
        ? heartbeatMillis / OVERDUE_DIVISOR
        : heartbeatMillis;
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
    untilMillis = Math.max(untilMillis, sent.monotonicMillis() + leaseMillis);
  }
}
