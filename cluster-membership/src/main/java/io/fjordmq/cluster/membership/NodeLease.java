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
 * This node's lives, one after the other: registered as STARTING, admitted when it is ready ({@link
 * Admission}), kept by renewing its lease, over when the cluster says DOWN; then the next.
 *
 * <pre>
 * REGISTERING ─► REGISTERED ─► ADMITTED
 *      ▲              │            │        this life is over (the metadata say so, or their leader),
 *      └── ENDING ◄───┴────────────┘        or the node rests: then the next waits
 *
 * from all: REMOVED, when the cluster has removed the node; LEFT, when it stops
 * </pre>
 *
 * <p>Everything happens on the thread of the timers but what is said to be thread-safe.
 */
final class NodeLease {
  private static final Logger LOG = LoggerFactory.getLogger(NodeLease.class);

  private static final int HURRY = 5;

  private enum Phase {
    REGISTERING,
    REGISTERED,
    ADMITTED,
    ENDING,
    LEFT,
    REMOVED
  }

  /** What a node is told that is no member any more. */
  static final String REMOVED_FOR_GOOD =
      "this node has been removed from its cluster and its id never comes back: to join as a new node, start"
          + " with an empty data directory";

  private static final String NO_ANSWER = "the metadata leader does not answer";

  private final NodeId self;
  private final NodeAddress address;
  private final MemberView members;
  private final LeaderCalls leader;
  private final MembershipSettings settings;
  private final SerialTimers timers;
  private final LeaseExpiry lapse;
  private final Reachability reachability;
  private final ClockWatch clock;
  private final CompletableFuture<Long> registered = new CompletableFuture<>();

  private Phase phase = Phase.REGISTERING;
  private long known;
  private @Nullable Admission admission;
  private boolean ready;
  private @Nullable String restsBecause;
  private volatile long incarnation;
  private volatile boolean admitted;
  private volatile long leaseUntilMillis;
  private volatile String notRenewedBecause = NO_ANSWER;
  private volatile String obstacle = "it has not registered with the cluster yet";

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
    this.lapse = new LeaseExpiry(self, members, peers, settings, timers);
    this.reachability = new Reachability(self, members, peers, settings, timers, this::renew);
    this.clock = clock;
    this.leaseUntilMillis = timers.nowMillis();
  }

  // ---- thread-safe

  /** 0 before the first. */
  long incarnation() {
    return incarnation;
  }

  /** Completes with the version of the metadata that has the first life. */
  CompletableFuture<Long> registered() {
    return registered;
  }

  boolean isServing() {
    return admitted && hasLease();
  }

  /** A node that is alone needs none: nobody could count its life as over but itself. */
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
    return "its lease has expired: " + notRenewedBecause;
  }

  /** As {@link Reachability#unreachable}. */
  Set<NodeId> unreachable() {
    return reachability.unreachable();
  }

  // ---- on the thread of the timers

  /** Begins the first life. To be called once. */
  void begin() {
    Member member = members.members().find(self);
    known = member == null ? 0 : member.incarnation();
    lapse.answerOthers(this::isServing);
    register();
    beat();
  }

  /** From now on this node may be counted and admitted; before, it holds a lease as STARTING. */
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
    } else if (answer instanceof Registered life) {
      known = life.incarnation();
      incarnation = life.incarnation();
      phase = Phase.REGISTERED;
      admission = admissionOf(life);
      LOG.info("Registered with the cluster incarnation={}", incarnation);
      registered.complete(life.version());
      String why = restsBecause;
      if (why == null) {
        beginAdmission();
        renew();
      } else {
        rest(why); // which came while the registration was on its way
      }
    } else if (answer instanceof KnownIncarnation last && last.incarnation() != known) {
      known = last.incarnation();
      registerUnlessResting();
    } else {
      obstacle = "it cannot register: " + LeaderCalls.whyNot(answer, failure);
      timers.schedule(settings.retryPause().toMillis(), this::registerAgain);
    }
  }

  private void registerAgain() {
    if (phase == Phase.REGISTERING) {
      registerUnlessResting();
    }
  }

  private void registerUnlessResting() {
    if (restsBecause == null) {
      register();
    } else {
      obstacle = "it rests: " + restsBecause;
      timers.schedule(settings.retryPause().toMillis(), this::registerAgain);
    }
  }

  private void beat() {
    if (phase == Phase.LEFT || phase == Phase.REMOVED) {
      return;
    }
    timers.schedule(beatMillis(), this::beat);
    if (admitted && !hasLease()) {
      lapse.onExpired(incarnation, leaseExpired());
    }
    reachability.beat();
    renew();
  }

  /** Who leads may have just changed: with the lease running out, asking does not wait long. */
  private long beatMillis() {
    long heartbeat = settings.heartbeat().toMillis();
    long unrenewed = timers.nowMillis() - leaseUntilMillis + settings.lease().toMillis();
    return unrenewed > 2 * heartbeat ? heartbeat / HURRY : heartbeat;
  }

  private boolean living() {
    return phase == Phase.REGISTERED || phase == Phase.ADMITTED;
  }

  private void renew() {
    if (!living()) {
      return;
    }
    long life = incarnation;
    ClusterClock.Reading sent = clock.sending();
    leader
        .ask(
            new Renewal(life, members.applied(), clock.report(sent), reachability.unreachable()),
            settings.lease())
        .whenCompleteAsync(
            (answer, failure) -> {
              if (life == incarnation && living()) {
                onRenewal(sent, answer, failure);
              }
            },
            timers);
  }

  private void onRenewal(
      ClusterClock.Reading sent, @Nullable LeaderAnswer answer, @Nullable Throwable failure) {
    notRenewedBecause = answer instanceof NotRenewed refused ? refused.why() : NO_ANSWER;
    if (answer instanceof Renewed renewed) {
      if (!clock.answered(sent, renewed.clusterMillis())) {
        LOG.debug("the lease is not renewed: a clock jumped meanwhile");
        return;
      }
      long until = sent.monotonicMillis() + settings.lease().toMillis();
      leaseUntilMillis = Math.max(leaseUntilMillis, until);
      if (hasLease()) {
        lapse.ended(true);
        members.tell(listener -> listener.renewed(incarnation));
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
      LOG.debug("the lease is not renewed: {}", refused.why());
    } else {
      LOG.debug("the lease cannot be renewed: {}", LeaderCalls.whyNot(answer, failure));
    }
  }

  private Admission admissionOf(Registered life) {
    NodeRecord up = new NodeRecord(self, address, life.incarnation());
    BooleanSupplier goesOn = () -> phase == Phase.REGISTERED && incarnation == up.incarnation();
    Admission.Incarnation seen =
        new Admission.Incarnation(
            goesOn,
            why -> {
              if (goesOn.getAsBoolean()) {
                obstacle = why; // of a life that has ended, why it ended stays
              }
            },
            this::renew,
            this::admit);
    return new Admission(up, life.version(), members, leader, settings, timers, seen);
  }

  private void admit() {
    phase = Phase.ADMITTED;
    admitted = true;
    LOG.info("Admitted; serving clients incarnation={}", incarnation);
    members.tell(listener -> listener.admitted(incarnation));
  }

  /** To be called when the members have changed. */
  void membersChanged() {
    reachability.membersChanged();
    if (members.members().removed().containsKey(self)) {
      removed();
      return;
    }
    Member member = members.members().find(self);
    if (!living() || member == null || member.incarnation() < incarnation) {
      return;
    }
    if (member.incarnation() > incarnation || !member.isAlive()) {
      known = member.incarnation();
      end();
    } else {
      if (admission != null) {
        admission.membersChanged();
      }
      renew(); // so that everybody soon knows that this version is known here
    }
  }

  private void end() {
    LOG.warn("The cluster marked this incarnation DOWN incarnation={}", incarnation);
    end("the cluster has gone on without it, it gives up what it held");
  }

  private void end(String why) {
    phase = Phase.ENDING;
    admitted = false;
    lapse.ended(false);
    obstacle = why;
    giveUp();
  }

  /** This life ends, if there is one, and none begins before {@link #resume}. */
  void rest(String why) {
    restsBecause = why;
    if (living()) {
      LOG.warn("This node ends its incarnation: {} incarnation={}", why, incarnation);
      known = incarnation;
      end("it rests: " + why);
    }
  }

  void resume() {
    restsBecause = null;
  }

  private void giveUp() {
    long life = incarnation;
    members
        .ask(listener -> listener.lifeEnded(life))
        .whenCompleteAsync(
            (givenUp, failure) -> {
              if (phase != Phase.ENDING) {
                return;
              }
              if (failure == null) {
                phase = Phase.REGISTERING;
                registerUnlessResting();
              } else {
                LOG.warn(
                    "Could not report the end of an incarnation, retrying: {} incarnation={}",
                    LeaderCalls.whyNot(null, failure),
                    life);
                timers.schedule(settings.retryPause().toMillis(), this::giveUp);
              }
            },
            timers);
  }

  private void removed() {
    endPermanently(REMOVED_FOR_GOOD);
  }

  /** There is no next life. */
  void endPermanently(String why) {
    if (phase == Phase.REMOVED || phase == Phase.LEFT) {
      return;
    }
    final boolean holds = living();
    phase = Phase.REMOVED;
    admitted = false;
    obstacle = why;
    LOG.error("No longer serving clients: {}", obstacle);
    registered.completeExceptionally(new MembershipException(why));
    if (holds) {
      members.ask(listener -> listener.lifeEnded(incarnation));
    }
  }

  /** Serves nobody and renews nothing from now on. */
  void leave() {
    phase = Phase.LEFT;
    admitted = false;
    obstacle = "it stops";
  }
}
