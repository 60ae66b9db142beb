package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The leases of all nodes as the metadata leader knows them, during one term. Uses neither a clock
 * nor a thread.
 *
 * <p>A lease never expires in this table before it expires at its holder. The holder counts from
 * sending a renewal, this table from receiving it, and a renewal counts even if its response is
 * lost. Leases granted by earlier leaders are covered by the full lease that every node gets at the
 * beginning of the term.
 */
final class LeaseTable {
  private final MembershipSettings settings;
  private final Map<NodeId, Lease> leases = new HashMap<>();
  private long fullLeaseUntilMillis;

  private static final class Lease {
    final long incarnation;
    long untilMillis;
    long appliedVersion;

    /**
     * The metadata version that the node has to reach; {@code awaitedSinceMillis} is when it was
     * set.
     */
    long awaitedVersion;

    long awaitedSinceMillis;

    Lease(long incarnation) {
      this.incarnation = incarnation;
    }
  }

  LeaseTable(MembershipSettings settings, long nowMillis) {
    this.settings = settings;
    extendAll(nowMillis);
  }

  /** Extends all leases to at least one full lease from now. */
  void extendAll(long nowMillis) {
    fullLeaseUntilMillis = nowMillis + settings.lease().toMillis();
  }

  /** Starts the lease of a newly registered incarnation, which has applied nothing yet. */
  void begin(NodeId node, long incarnation, long version, long nowMillis) {
    renew(node, incarnation, 0, version, nowMillis);
  }

  /**
   * Renews the lease of an incarnation.
   *
   * @param applied the metadata version that the node has applied
   * @param version the current metadata version
   * @return false if the lease is not renewed, because the node has been behind for too long
   */
  boolean renew(NodeId node, long incarnation, long applied, long version, long nowMillis) {
    Lease lease = leases.get(node);
    if (lease == null || lease.incarnation != incarnation) {
      lease = new Lease(incarnation);
      lease.awaitedVersion = version;
      lease.awaitedSinceMillis = nowMillis;
      leases.put(node, lease);
    }
    lease.appliedVersion = applied;
    if (applied >= lease.awaitedVersion) {
      lease.awaitedVersion = version;
      lease.awaitedSinceMillis = nowMillis;
    } else if (nowMillis - lease.awaitedSinceMillis > settings.maxLag().toMillis()) {
      return false;
    }
    lease.untilMillis = nowMillis + settings.lease().toMillis();
    return true;
  }

  boolean hasExpired(Member member, long nowMillis) {
    Lease lease = of(member);
    return nowMillis > fullLeaseUntilMillis && (lease == null || nowMillis > lease.untilMillis);
  }

  /**
   * Returns the metadata version that all counted nodes have applied; 0 until all of them have
   * reported. STARTING nodes are ignored: such a node serves no clients before it has applied
   * everything written until it is counted.
   */
  long appliedByAll(Members members) {
    long min = Long.MAX_VALUE;
    for (Member member : members.byNode().values()) {
      if (member.isCounted()) {
        Lease lease = of(member);
        min = Math.min(min, lease == null ? 0 : lease.appliedVersion);
      }
    }
    return min == Long.MAX_VALUE ? 0 : min;
  }

  /** Returns the lease of exactly this incarnation; null if there is none. */
  private @Nullable Lease of(Member member) {
    Lease lease = leases.get(member.node());
    return lease == null || lease.incarnation != member.incarnation() ? null : lease;
  }
}
