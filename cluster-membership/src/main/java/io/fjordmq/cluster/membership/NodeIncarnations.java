package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.SupportedLevels;
import io.fjordmq.cluster.membership.LeaderRequest.Registration;
import io.fjordmq.cluster.membership.LeaderRequest.Renewal;
import io.fjordmq.cluster.membership.LeaderResponse.KnownIncarnation;
import io.fjordmq.cluster.membership.LeaderResponse.NotRenewed;
import io.fjordmq.cluster.membership.LeaderResponse.Registered;
import io.fjordmq.cluster.membership.LeaderResponse.Renewed;
import io.fjordmq.cluster.metadata.NodeRecord;
import io.fjordmq.cluster.peer.PeerNetwork;
import io.fjordmq.common.Timers;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The incarnations of this node, in succession. Each is registered as STARTING, admitted when it is
 * ready ({@link Admission}), kept alive by renewing its lease, and ends when the cluster marks it
 * DOWN; then the next begins.
 *
 * <pre>
 * REGISTERING ─► REGISTERED ─► ADMITTED
 *      ▲              │            │        ended by the metadata or its leader,
 *      └── ENDING ◄───┴────────────┘        or suspended: then the next waits
 *
 * from any: REMOVED, when the cluster has removed the node; LEFT, when it stops
 * </pre>
 *
 * <p>Runs on the membership thread, except the methods marked as thread-safe.
 */
final class NodeIncarnations {
  private static final Logger LOG = LoggerFactory.getLogger(NodeIncarnations.class);

  private enum Phase {
    REGISTERING,
    REGISTERED,
    ADMITTED,
    ENDING,
    LEFT,
    REMOVED
  }

  /** The reason why a removed node does not serve clients. */
  static final String REMOVED_MESSAGE =
      "this node has been removed from its cluster, and its id cannot be used again; to join as a"
          + " new node, start with an empty data directory";

  private final NodeId self;
  private final NodeAddress address;
  private final SupportedLevels levels;
  private final MemberView members;
  private final LeaderCalls leader;
  private final MembershipSettings settings;
  private final Timers timers;
  private final LeaseExpiry expiry;
  private final Reachability reachability;
  private final ClockWatch clock;
  private final NodeLease lease;
  private final CompletableFuture<Long> registered = new CompletableFuture<>();

  private Phase phase = Phase.REGISTERING;
  private long knownIncarnation;
  private @Nullable Admission admission;
  private boolean ready;
  private @Nullable String suspendReason;
  private volatile long incarnation;
  private volatile boolean admitted;
  private volatile String obstacle = "not registered with the cluster yet";

  NodeIncarnations(
      NodeId self,
      NodeAddress address,
      SupportedLevels levels,
      MemberView members,
      LeaderCalls leader,
      PeerNetwork peers,
      MembershipSettings settings,
      Timers timers,
      ClockWatch clock) {
    this.self = self;
    this.address = address;
    this.levels = levels;
    this.members = members;
    this.leader = leader;
    this.settings = settings;
    this.timers = timers;
    this.expiry = new LeaseExpiry(self, members, peers, settings, timers);
    this.reachability = new Reachability(self, members, peers, settings, timers, this::renew);
    this.clock = clock;
    this.lease = new NodeLease(settings, timers, clock.clock());
  }

  // ---- thread-safe

  /** Returns the current incarnation; 0 before the first. */
  long incarnation() {
    return incarnation;
  }

  /** Completes with the metadata version of the first registration. */
  CompletableFuture<Long> registered() {
    return registered;
  }

  boolean isServing() {
    return admitted && hasLease();
  }

  /** Returns the time until the lease expires unless it is renewed; 0 if it is not valid. */
  long leaseRemainingMillis() {
    return lease.remainingMillis();
  }

  /**
   * Returns whether this node has a valid lease. A single node needs none, because no other node
   * could mark it DOWN.
   */
  boolean hasLease() {
    return lease.isValid() || members.members().isOnlyMember(self);
  }

  @Nullable String notServingReason() {
    if (isServing()) {
      return null;
    }
    return admitted ? lease.expiredReason() : obstacle;
  }

  /** See {@link Reachability#unreachable}. */
  Set<NodeId> unreachable() {
    return reachability.unreachable();
  }

  // ---- on the membership thread

  /** Begins the first incarnation. Must be called once. */
  void begin() {
    Member member = members.members().find(self);
    knownIncarnation = member == null ? 0 : member.incarnation();
    expiry.registerHandler(this::isServing);
    register();
    onHeartbeat();
  }

  /** Allows this node to be counted and admitted; until then it holds a lease as STARTING. */
  void markReady() {
    ready = true;
    beginAdmission();
  }

  private void beginAdmission() {
    if (ready && admission != null) {
      admission.begin();
    }
  }

  private void register() {
    leader
        .call(new Registration(knownIncarnation, address, levels), settings.lease())
        .whenCompleteAsync(this::onRegistration, timers);
  }

  private void onRegistration(@Nullable LeaderResponse response, @Nullable Throwable failure) {
    if (phase != Phase.REGISTERING) {
      return;
    }
    if (response instanceof LeaderResponse.Removed) {
      onRemoved();
    } else if (response instanceof LeaderResponse.Refused refused) {
      endPermanently(refused.reason());
    } else if (response instanceof Registered registration) {
      knownIncarnation = registration.incarnation();
      incarnation = registration.incarnation();
      phase = Phase.REGISTERED;
      admission = admissionOf(registration);
      LOG.info("Registered with the cluster incarnation={}", incarnation);
      registered.complete(registration.version());
      String reason = suspendReason;
      if (reason == null) {
        beginAdmission();
        renew();
      } else {
        suspend(reason); // requested while the registration was in progress
      }
    } else if (response instanceof KnownIncarnation last
        && last.incarnation() != knownIncarnation) {
      knownIncarnation = last.incarnation();
      registerUnlessSuspended();
    } else {
      obstacle = "registration failed: " + LeaderCalls.failureReason(response, failure);
      timers.schedule(settings.retryInterval().toMillis(), this::registerAgain);
    }
  }

  private void registerAgain() {
    if (phase == Phase.REGISTERING) {
      registerUnlessSuspended();
    }
  }

  private void registerUnlessSuspended() {
    if (suspendReason == null) {
      register();
    } else {
      obstacle = "suspended: " + suspendReason;
      timers.schedule(settings.retryInterval().toMillis(), this::registerAgain);
    }
  }

  private void onHeartbeat() {
    if (phase == Phase.LEFT || phase == Phase.REMOVED) {
      return;
    }
    timers.schedule(lease.renewalIntervalMillis(), this::onHeartbeat);
    if (admitted && !hasLease()) {
      expiry.onExpired(incarnation, lease.expiredReason());
    }
    reachability.onHeartbeat();
    renew();
  }

  private boolean isAlive() {
    return phase == Phase.REGISTERED || phase == Phase.ADMITTED;
  }

  private void renew() {
    if (!isAlive()) {
      return;
    }
    long renewing = incarnation;
    ClusterClock.Reading sent = clock.beforeRenewal();
    leader
        .call(
            new Renewal(
                renewing, members.appliedVersion(), clock.report(sent), reachability.unreachable()),
            settings.lease())
        .whenCompleteAsync(
            (response, failure) -> {
              if (renewing == incarnation && isAlive()) {
                onRenewal(sent, response, failure);
              }
            },
            timers);
  }

  private void onRenewal(
      ClusterClock.Reading sent, @Nullable LeaderResponse response, @Nullable Throwable failure) {
    lease.onResponse(response);
    if (response instanceof Renewed renewed) {
      if (!clock.onRenewed(sent, renewed.clusterMillis())) {
        LOG.debug("Lease not renewed: a clock jumped in the meantime");
        return;
      }
      lease.renew(sent);
      if (hasLease()) {
        expiry.onRenewal(true);
        members.notifyListeners(listener -> listener.onLeaseRenewed(incarnation));
      }
      if (admission != null) {
        admission.onAppliedByAll(renewed.appliedByAll());
      }
    } else if (response instanceof LeaderResponse.Removed) {
      onRemoved();
    } else if (response instanceof KnownIncarnation last) {
      knownIncarnation = last.incarnation();
      end();
    } else if (response instanceof NotRenewed refused) {
      LOG.debug("Lease not renewed: {}", refused.reason());
    } else {
      LOG.debug("Cannot renew the lease: {}", LeaderCalls.failureReason(response, failure));
    }
  }

  private Admission admissionOf(Registered registration) {
    NodeRecord up = new NodeRecord(self, address, registration.incarnation());
    BooleanSupplier isCurrent = () -> phase == Phase.REGISTERED && incarnation == up.incarnation();
    Admission.Callbacks admissionCallbacks =
        new Admission.Callbacks(
            isCurrent,
            reason -> {
              if (isCurrent.getAsBoolean()) {
                obstacle = reason; // keeps the reason why an incarnation has ended
              }
            },
            this::renew,
            this::admit);
    return new Admission(
        up, registration.version(), members, leader, settings, timers, admissionCallbacks);
  }

  private void admit() {
    phase = Phase.ADMITTED;
    admitted = true;
    LOG.info("Admitted; serving clients incarnation={}", incarnation);
    members.notifyListeners(listener -> listener.onAdmitted(incarnation));
  }

  /** Must be called when the members have changed. */
  void onMembersChanged() {
    reachability.onMembersChanged();
    if (members.members().removed().containsKey(self)) {
      onRemoved();
      return;
    }
    Member member = members.members().find(self);
    if (!isAlive() || member == null || member.incarnation() < incarnation) {
      return;
    }
    if (member.incarnation() > incarnation || !member.isAlive()) {
      knownIncarnation = member.incarnation();
      end();
    } else {
      if (admission != null) {
        admission.onMembersChanged();
      }
      renew(); // renew at once, to tell the leader that this node has applied the version
    }
  }

  private void end() {
    LOG.warn("The cluster marked this incarnation DOWN incarnation={}", incarnation);
    end("marked DOWN by the cluster; ending its sessions before it registers again");
  }

  private void end(String reason) {
    phase = Phase.ENDING;
    admitted = false;
    expiry.onRenewal(false);
    obstacle = reason;
    notifyEnded();
  }

  /** Ends the current incarnation, if any; the next one begins after {@link #resume}. */
  void suspend(String reason) {
    suspendReason = reason;
    if (isAlive()) {
      LOG.warn("Suspending this node: {} incarnation={}", reason, incarnation);
      knownIncarnation = incarnation;
      end("suspended: " + reason);
    }
  }

  void resume() {
    suspendReason = null;
  }

  private void notifyEnded() {
    long ending = incarnation;
    members
        .callListeners(listener -> listener.onIncarnationEnded(ending))
        .whenCompleteAsync(
            (released, failure) -> {
              if (phase != Phase.ENDING) {
                return;
              }
              if (failure == null) {
                phase = Phase.REGISTERING;
                registerUnlessSuspended();
              } else {
                LOG.warn(
                    "Failed to end an incarnation; retrying: {} incarnation={}",
                    LeaderCalls.failureReason(null, failure),
                    ending);
                timers.schedule(settings.retryInterval().toMillis(), this::notifyEnded);
              }
            },
            timers);
  }

  private void onRemoved() {
    endPermanently(REMOVED_MESSAGE);
  }

  /** Ends the current incarnation; no other follows. */
  void endPermanently(String reason) {
    if (phase == Phase.REMOVED || phase == Phase.LEFT) {
      return;
    }
    final boolean wasAlive = isAlive();
    phase = Phase.REMOVED;
    admitted = false;
    obstacle = reason;
    LOG.error("No longer serving clients: {}", obstacle);
    registered.completeExceptionally(new MembershipException(reason));
    if (wasAlive) {
      members.callListeners(listener -> listener.onIncarnationEnded(incarnation));
    }
  }

  /** Stops serving clients and renewing the lease. */
  void leave() {
    phase = Phase.LEFT;
    admitted = false;
    obstacle = "shutting down";
  }
}
