package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.LeaderAnswer.KnownIncarnation;
import io.fjordmq.cluster.membership.LeaderAnswer.NotRenewed;
import io.fjordmq.cluster.membership.LeaderAnswer.Registered;
import io.fjordmq.cluster.membership.LeaderAnswer.Renewed;
import io.fjordmq.cluster.membership.LeaderRequest.Registration;
import io.fjordmq.cluster.membership.LeaderRequest.Renewal;
import io.fjordmq.cluster.metadata.NodeRecord;
import io.fjordmq.cluster.peer.PeerNetwork;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The incarnations of this node, one after the other. Each is registered as STARTING, admitted when
 * it is ready ({@link Admission}), kept alive by renewing its lease, and ends when the cluster
 * marks it DOWN; then the next begins.
 *
 * <pre>
 * REGISTERING ─► REGISTERED ─► ADMITTED
 *      ▲              │            │        ended by the metadata or their leader,
 *      └── ENDING ◄───┴────────────┘        or suspended: then the next waits
 *
 * from any: REMOVED, when the cluster has removed the node; LEFT, when it stops
 * </pre>
 *
 * <p>Runs on the membership thread, except the methods marked as thread-safe.
 */
final class NodeLease {
  private static final Logger LOG = LoggerFactory.getLogger(NodeLease.class);

  private static final int OVERDUE_DIVISOR = 5;

  private enum Phase {
    REGISTERING,
    REGISTERED,
    ADMITTED,
    ENDING,
    LEFT,
    REMOVED
  }

  /** Why a removed node does not serve clients. */
  static final String REMOVED_MESSAGE =
      "this node has been removed from its cluster, and its id cannot be used again; to join as a new node, start"
          + " with an empty data directory";

  private static final String NO_ANSWER = "the metadata leader does not respond";

  private final NodeId self;
  private final NodeAddress address;
  private final MemberView members;
  private final LeaderCalls leader;
  private final MembershipSettings settings;
  private final SerialTimers timers;
  private final LeaseExpiry expiry;
  private final Reachability reachability;
  private final ClockWatch clock;
  private final CompletableFuture<Long> registered = new CompletableFuture<>();

  private Phase phase = Phase.REGISTERING;
  private long known;
  private @Nullable Admission admission;
  private boolean ready;
  private @Nullable String suspendedBecause;
  private volatile long incarnation;
  private volatile boolean admitted;
  private volatile long leaseUntilMillis;
  private volatile String notRenewedBecause = NO_ANSWER;
  private volatile String obstacle = "not registered with the cluster yet";

  NodeLease(
      NodeId self,
      NodeAddress address,
      MemberView members,
      LeaderCalls leader,
      PeerNetwork peers,
      MembershipSettings settings,
      SerialTimers timers,
      ClockWatch clock) {
    this.self = self;
    this.address = address;
    this.members = members;
    this.leader = leader;
    this.settings = settings;
    this.timers = timers;
    this.expiry = new LeaseExpiry(self, members, peers, settings, timers);
    this.reachability = new Reachability(self, members, peers, settings, timers, this::renew);
    this.clock = clock;
    this.leaseUntilMillis = timers.nowMillis();
  }

  // ---- thread-safe

  /** The current incarnation; 0 before the first. */
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

  /** A single node needs no lease, because no other node could mark it DOWN. */
  boolean hasLease() {
    return (timers.nowMillis() - leaseUntilMillis < 0 && clock.isWithin(settings.lease()))
        || members.members().isAlone(self);
  }

  @Nullable String notServingBecause() {
    if (isServing()) {
      return null;
    }
    return admitted ? leaseExpired() : obstacle;
  }

  private String leaseExpired() {
    return "lease expired: " + notRenewedBecause;
  }

  /** See {@link Reachability#unreachable}. */
  Set<NodeId> unreachable() {
    return reachability.unreachable();
  }

  // ---- on the membership thread

  /** Begins the first incarnation. Must be called once. */
  void begin() {
    Member member = members.members().find(self);
    known = member == null ? 0 : member.incarnation();
    expiry.answerOthers(this::isServing);
    register();
    beat();
  }

  /** Allows this node to be counted and admitted; until then it holds a lease as STARTING. */
  void ready() {
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
        .ask(new Registration(known, address), settings.lease())
        .whenCompleteAsync(this::onRegistration, timers);
  }

  private void onRegistration(@Nullable LeaderAnswer answer, @Nullable Throwable failure) {
    if (phase != Phase.REGISTERING) {
      return;
    }
    if (answer instanceof LeaderAnswer.Removed) {
      removed();
    } else if (answer instanceof Registered registration) {
      known = registration.incarnation();
      incarnation = registration.incarnation();
      phase = Phase.REGISTERED;
      admission = admissionOf(registration);
      LOG.info("Registered with the cluster incarnation={}", incarnation);
      registered.complete(registration.version());
      String why = suspendedBecause;
      if (why == null) {
        beginAdmission();
        renew();
      } else {
        suspend(why); // requested while the registration was in progress
      }
    } else if (answer instanceof KnownIncarnation last && last.incarnation() != known) {
      known = last.incarnation();
      registerUnlessSuspended();
    } else {
      obstacle = "registration failed: " + LeaderCalls.failureReason(answer, failure);
      timers.schedule(settings.retryPause().toMillis(), this::registerAgain);
    }
  }

  private void registerAgain() {
    if (phase == Phase.REGISTERING) {
      registerUnlessSuspended();
    }
  }

  private void registerUnlessSuspended() {
    if (suspendedBecause == null) {
      register();
    } else {
      obstacle = "suspended: " + suspendedBecause;
      timers.schedule(settings.retryPause().toMillis(), this::registerAgain);
    }
  }

  private void beat() {
    if (phase == Phase.LEFT || phase == Phase.REMOVED) {
      return;
    }
    timers.schedule(beatMillis(), this::beat);
    if (admitted && !hasLease()) {
      expiry.onExpired(incarnation, leaseExpired());
    }
    reachability.beat();
    renew();
  }

  /** Shortens the interval when renewals are overdue: the leader may have just changed. */
  private long beatMillis() {
    long heartbeat = settings.heartbeat().toMillis();
    long unrenewed = timers.nowMillis() - leaseUntilMillis + settings.lease().toMillis();
    return unrenewed > 2 * heartbeat ? heartbeat / OVERDUE_DIVISOR : heartbeat;
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
        .ask(
            new Renewal(
                renewing, members.applied(), clock.report(sent), reachability.unreachable()),
            settings.lease())
        .whenCompleteAsync(
            (answer, failure) -> {
              if (renewing == incarnation && isAlive()) {
                onRenewal(sent, answer, failure);
              }
            },
            timers);
  }

  private void onRenewal(
      ClusterClock.Reading sent, @Nullable LeaderAnswer answer, @Nullable Throwable failure) {
    notRenewedBecause = answer instanceof NotRenewed refused ? refused.why() : NO_ANSWER;
    if (answer instanceof Renewed renewed) {
      if (!clock.onRenewed(sent, renewed.clusterMillis())) {
        LOG.debug("Lease not renewed: a clock jumped in the meantime");
        return;
      }
      long until = sent.monotonicMillis() + settings.lease().toMillis();
      leaseUntilMillis = Math.max(leaseUntilMillis, until);
      if (hasLease()) {
        expiry.ended(true);
        members.notifyListeners(listener -> listener.leaseRenewed(incarnation));
      }
      if (admission != null) {
        admission.appliedByAll(renewed.appliedByAll());
      }
    } else if (answer instanceof LeaderAnswer.Removed) {
      removed();
    } else if (answer instanceof KnownIncarnation last) {
      known = last.incarnation();
      end();
    } else if (answer instanceof NotRenewed refused) {
      LOG.debug("Lease not renewed: {}", refused.why());
    } else {
      LOG.debug("Cannot renew the lease: {}", LeaderCalls.failureReason(answer, failure));
    }
  }

  private Admission admissionOf(Registered registration) {
    NodeRecord up = new NodeRecord(self, address, registration.incarnation());
    BooleanSupplier isCurrent = () -> phase == Phase.REGISTERED && incarnation == up.incarnation();
    Admission.Incarnation seen =
        new Admission.Incarnation(
            isCurrent,
            why -> {
              if (isCurrent.getAsBoolean()) {
                obstacle = why; // keeps the reason why an incarnation has ended
              }
            },
            this::renew,
            this::admit);
    return new Admission(up, registration.version(), members, leader, settings, timers, seen);
  }

  private void admit() {
    phase = Phase.ADMITTED;
    admitted = true;
    LOG.info("Admitted; serving clients incarnation={}", incarnation);
    members.notifyListeners(listener -> listener.admitted(incarnation));
  }

  /** Must be called when the members have changed. */
  void membersChanged() {
    reachability.membersChanged();
    if (members.members().removed().containsKey(self)) {
      removed();
      return;
    }
    Member member = members.members().find(self);
    if (!isAlive() || member == null || member.incarnation() < incarnation) {
      return;
    }
    if (member.incarnation() > incarnation || !member.isAlive()) {
      known = member.incarnation();
      end();
    } else {
      if (admission != null) {
        admission.membersChanged();
      }
      renew(); // tells the leader at once that this node has applied the version
    }
  }

  private void end() {
    LOG.warn("The cluster marked this incarnation DOWN incarnation={}", incarnation);
    end("marked DOWN by the cluster; ending its sessions before it registers again");
  }

  private void end(String why) {
    phase = Phase.ENDING;
    admitted = false;
    expiry.ended(false);
    obstacle = why;
    notifyEnded();
  }

  /** Ends the current incarnation, if any; the next one begins after {@link #resume}. */
  void suspend(String why) {
    suspendedBecause = why;
    if (isAlive()) {
      LOG.warn("Suspending this node: {} incarnation={}", why, incarnation);
      known = incarnation;
      end("suspended: " + why);
    }
  }

  void resume() {
    suspendedBecause = null;
  }

  private void notifyEnded() {
    long ending = incarnation;
    members
        .callListeners(listener -> listener.incarnationEnded(ending))
        .whenCompleteAsync(
            (givenUp, failure) -> {
              if (phase != Phase.ENDING) {
                return;
              }
              if (failure == null) {
                phase = Phase.REGISTERING;
                registerUnlessSuspended();
              } else {
                LOG.warn(
                    "Failed to end an incarnation, retrying: {} incarnation={}",
                    LeaderCalls.failureReason(null, failure),
                    ending);
                timers.schedule(settings.retryPause().toMillis(), this::notifyEnded);
              }
            },
            timers);
  }

  private void removed() {
    endPermanently(REMOVED_MESSAGE);
  }

  /** Ends the current incarnation; no other follows. */
  void endPermanently(String why) {
    if (phase == Phase.REMOVED || phase == Phase.LEFT) {
      return;
    }
    final boolean wasAlive = isAlive();
    phase = Phase.REMOVED;
    admitted = false;
    obstacle = why;
    LOG.error("No longer serving clients: {}", obstacle);
    registered.completeExceptionally(new MembershipException(why));
    if (wasAlive) {
      members.callListeners(listener -> listener.incarnationEnded(incarnation));
    }
  }

  /** Stops serving clients and renewing the lease. */
  void leave() {
    phase = Phase.LEFT;
    admitted = false;
    obstacle = "shutting down";
  }
}
