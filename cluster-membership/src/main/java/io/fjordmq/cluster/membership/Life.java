package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.LeaderAnswer.KnownAs;
import io.fjordmq.cluster.membership.LeaderAnswer.NotRenewed;
import io.fjordmq.cluster.membership.LeaderAnswer.Registered;
import io.fjordmq.cluster.membership.LeaderAnswer.Renewed;
import io.fjordmq.cluster.membership.LeaderRequest.Registration;
import io.fjordmq.cluster.membership.LeaderRequest.Renewal;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node's lives, one after the other: registered, admitted once every living node counts it,
 * kept by renewing its lease, over when the cluster says DOWN; then the next.
 *
 * <pre>
 * REGISTERING ─► REGISTERED ─► PREPARING ─► ADMITTED
 *      ▲              ▲────────────┘            │        what has to be prepared failed: once more
 *      └── ENDING ◄───┴────────────┴────────────┘        this life is not UP any more (the metadata say
 *                                                        so, or their leader), or the node rests: then
 *                                                        the next waits
 *
 * from all: REMOVED, when the cluster has removed the node; LEFT, when it stops
 * </pre>
 *
 * <p>Everything happens on the thread of the timers but what is said to be thread-safe.
 */
final class Life {
  private static final Logger LOG = LoggerFactory.getLogger(Life.class);

  private static final int HURRY = 5;

  /** Whoever leads the metadata now needs a moment to be found. */
  private static final int PATIENT_HEARTBEATS = 2;

  private enum Phase {
    REGISTERING,
    REGISTERED,
    PREPARING,
    ADMITTED,
    ENDING,
    LEFT,
    REMOVED
  }

  /** What a node is told that is no member any more. */
  static final String REMOVED_FOR_GOOD =
      "this node has been removed from its cluster and its id never comes back: to join as a new node, start"
          + " with an empty data directory";

  private final NodeId self;
  private final NodeAddress address;
  private final MemberView members;
  private final LeaderCalls leader;
  private final MembershipSettings settings;
  private final SerialTimers timers;
  private final CompletableFuture<Long> registered = new CompletableFuture<>();

  private Phase phase = Phase.REGISTERING;
  private long known;
  private long registeredVersion;
  private boolean ready;
  private boolean reportedLapse;
  private boolean toldLapse;
  private @Nullable String restsBecause;
  private volatile long incarnation;
  private volatile boolean admitted;
  private volatile long leaseUntilMillis;
  private volatile String obstacle = "it has not registered with the cluster yet";

  Life(
      NodeId self,
      NodeAddress address,
      MemberView members,
      LeaderCalls leader,
      MembershipSettings settings,
      SerialTimers timers) {
    this.self = self;
    this.address = address;
    this.members = members;
    this.leader = leader;
    this.settings = settings;
    this.timers = timers;
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
    return timers.nowMillis() - leaseUntilMillis < 0 || members.members().isAlone(self);
  }

  @Nullable String notServingBecause() {
    if (isServing()) {
      return null;
    }
    return admitted
        ? "its lease has run out: the leader of the metadata does not answer it"
        : obstacle;
  }

  // ---- on the thread of the timers

  /** Begins the first life. To be called once. */
  void begin() {
    Member member = members.members().find(self);
    known = member == null ? 0 : member.incarnation();
    register();
    beat();
  }

  /** From now on a life may be admitted; before there are leases but no clients. */
  void ready() {
    ready = true;
    renew();
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
      registeredVersion = life.version();
      phase = Phase.REGISTERED;
      obstacle = "not every node knows yet that it is there";
      LOG.info("registered, incarnation {}", incarnation);
      registered.complete(registeredVersion);
      String why = restsBecause;
      if (why == null) {
        renew();
      } else {
        rest(why); // which came while the registration was on its way
      }
    } else if (answer instanceof KnownAs last && last.incarnation() != known) {
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
    if (admitted && !hasLease() && !reportedLapse) {
      reportedLapse = true;
      LOG.warn("serves no clients: {}", notServingBecause());
    }
    tellLapse();
    renew();
  }

  private void tellLapse() {
    long patience = PATIENT_HEARTBEATS * settings.heartbeat().toMillis();
    boolean lapsed = !hasLease() && timers.nowMillis() - leaseUntilMillis > patience;
    if (admitted && !toldLapse && lapsed) {
      toldLapse = true;
      members.tell(listener -> listener.lapsed(incarnation));
    }
  }

  /** Who leads may have just changed: with the lease running out, asking does not wait long. */
  private long beatMillis() {
    long heartbeat = settings.heartbeat().toMillis();
    long unrenewed = timers.nowMillis() - leaseUntilMillis + settings.lease().toMillis();
    return unrenewed > 2 * heartbeat ? heartbeat / HURRY : heartbeat;
  }

  private boolean living() {
    return phase == Phase.REGISTERED || phase == Phase.PREPARING || phase == Phase.ADMITTED;
  }

  private void renew() {
    if (!living()) {
      return;
    }
    long life = incarnation;
    long sentMillis = timers.nowMillis();
    leader
        .ask(new Renewal(life, members.applied()), settings.lease())
        .whenCompleteAsync(
            (answer, failure) -> {
              if (life == incarnation && living()) {
                onRenewal(sentMillis, answer, failure);
              }
            },
            timers);
  }

  private void onRenewal(
      long sentMillis, @Nullable LeaderAnswer answer, @Nullable Throwable failure) {
    if (answer instanceof Renewed renewed) {
      long until = sentMillis + settings.lease().toMillis();
      leaseUntilMillis = Math.max(leaseUntilMillis, until);
      toldLapse &= !hasLease();
      if (reportedLapse && hasLease()) {
        reportedLapse = false;
        LOG.info("its lease is renewed, it serves clients again");
      }
      if (phase == Phase.REGISTERED && renewed.appliedByAll() >= registeredVersion) {
        prepare();
      }
    } else if (answer instanceof LeaderAnswer.Removed) {
      removed();
    } else if (answer instanceof KnownAs last) {
      known = last.incarnation();
      end();
    } else if (answer instanceof NotRenewed refused) {
      LOG.debug("the lease is not renewed: {}", refused.why());
    } else {
      LOG.debug("the lease cannot be renewed: {}", LeaderCalls.whyNot(answer, failure));
    }
  }

  private void prepare() {
    if (!ready) {
      obstacle = "it is still starting";
      return;
    }
    long life = incarnation;
    phase = Phase.PREPARING;
    obstacle = "what it needs for its clients is not up to date yet";
    members
        .ask(listener -> listener.beforeAdmission(life))
        .whenCompleteAsync(
            (prepared, failure) -> {
              if (life == incarnation && phase == Phase.PREPARING) {
                onPrepared(failure);
              }
            },
            timers);
  }

  private void onPrepared(@Nullable Throwable failure) {
    if (failure == null) {
      phase = Phase.ADMITTED;
      admitted = true;
      LOG.info("admitted, serves clients in incarnation {}", incarnation);
      members.tell(listener -> listener.admitted(incarnation));
      return;
    }
    obstacle = "it could not be prepared for clients: " + LeaderCalls.whyNot(null, failure);
    LOG.warn("will try again: {}", obstacle);
    long life = incarnation;
    timers.schedule(
        settings.retryPause().toMillis(),
        () -> {
          if (life == incarnation && phase == Phase.PREPARING) {
            phase = Phase.REGISTERED;
            renew();
          }
        });
  }

  /** To be called when the members have changed. */
  void membersChanged() {
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
      renew(); // so that everybody soon knows that this version is known here
    }
  }

  private void end() {
    LOG.warn("the cluster counts incarnation {} of this node as over", incarnation);
    end("the cluster has gone on without it, it gives up what it held");
  }

  private void end(String why) {
    phase = Phase.ENDING;
    admitted = false;
    obstacle = why;
    giveUp();
  }

  /** This life ends, if there is one, and none begins before {@link #resume}. */
  void rest(String why) {
    restsBecause = why;
    if (living()) {
      LOG.warn("ends incarnation {} of this node by itself: {}", incarnation, why);
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
                    "will try again to end life {}: {}", life, LeaderCalls.whyNot(null, failure));
                timers.schedule(settings.retryPause().toMillis(), this::giveUp);
              }
            },
            timers);
  }

  /** There is no next life. */
  private void removed() {
    if (phase == Phase.REMOVED || phase == Phase.LEFT) {
      return;
    }
    final boolean holds = living();
    phase = Phase.REMOVED;
    admitted = false;
    obstacle = REMOVED_FOR_GOOD;
    LOG.error("serves no clients any more: {}", obstacle);
    registered.completeExceptionally(new MembershipException(REMOVED_FOR_GOOD));
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
