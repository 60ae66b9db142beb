package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the leader of the metadata knows about the leases of lives, in one term. No clock, no
 * thread.
 *
 * <p>A lease never ends here before it ends at its holder, who counts from the sending: here it is
 * counted from the receipt, and a renewal counts even if its answer does not arrive. What earlier
 * leaders granted is covered by the whole lease that everybody has from the beginning.
 */
final class LeaseTable {
  private final MembershipSettings settings;
  private final Map<NodeId, Lease> leases = new HashMap<>();
  private long wholeLeaseUntilMillis;

  private static final class Lease {
    final long incarnation;
    long untilMillis;
    long applied;

    /** The version the node has to reach, and since when it is known. */
    long wanted;

    long wantedSinceMillis;

    Lease(long incarnation) {
      this.incarnation = incarnation;
    }
  }

  LeaseTable(MembershipSettings settings, long nowMillis) {
    this.settings = settings;
    giveWholeLease(nowMillis);
  }

  /** From now on nobody's lease ends before a whole one has passed. */
  void giveWholeLease(long nowMillis) {
    wholeLeaseUntilMillis = nowMillis + settings.lease().toMillis();
  }

  /** A life registers: it has a lease from now on, and has applied nothing yet. */
  void begin(NodeId node, long incarnation, long version, long nowMillis) {
    renew(node, incarnation, 0, version, nowMillis);
  }

  /**
   * A life wants to renew its lease.
   *
   * @param applied the version of the metadata it has
   * @param version the version there is
   * @return false if it has been behind for too long: the lease is not renewed
   */
  boolean renew(NodeId node, long incarnation, long applied, long version, long nowMillis) {
    Lease lease = leases.get(node);
    if (lease == null || lease.incarnation != incarnation) {
      lease = new Lease(incarnation);
      lease.wanted = version;
      lease.wantedSinceMillis = nowMillis;
      leases.put(node, lease);
    }
    lease.applied = applied;
    if (applied >= lease.wanted) {
      lease.wanted = version;
      lease.wantedSinceMillis = nowMillis;
    } else if (nowMillis - lease.wantedSinceMillis > settings.maxLag().toMillis()) {
      return false;
    }
    lease.untilMillis = nowMillis + settings.lease().toMillis();
    return true;
  }

  boolean hasRunOut(Member member, long nowMillis) {
    Lease lease = of(member);
    return nowMillis > wholeLeaseUntilMillis && (lease == null || nowMillis > lease.untilMillis);
  }

  /**
   * The version that all counted nodes have applied; 0 while one of them has not said. One that is
   * STARTING serves nobody before it has applied all that was written until it is counted.
   */
  long appliedByAll(Members members) {
    long least = Long.MAX_VALUE;
    for (Member member : members.byNode().values()) {
      if (member.isCounted()) {
        Lease lease = of(member);
        least = Math.min(least, lease == null ? 0 : lease.applied);
      }
    }
    return least == Long.MAX_VALUE ? 0 : least;
  }

  /** Of this very life; null if it was never heard of. */
  private @Nullable Lease of(Member member) {
    Lease lease = leases.get(member.node());
    return lease == null || lease.incarnation != member.incarnation() ? null : lease;
  }
}
