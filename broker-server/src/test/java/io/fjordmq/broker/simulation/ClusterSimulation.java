package io.fjordmq.broker.simulation;

import io.fjordmq.broker.delivery.PublishRouter;
import io.fjordmq.cluster.membership.ServingInvariant;
import io.fjordmq.inbox.InboxListener;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.router.RouteStore;
import io.fjordmq.testing.Simulation;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;

/**
 * One seed's run of a whole cluster: one node makes it, others join it, and all of them crash,
 * stand still, are cut off and come back elsewhere, while clients live wildly on any of them. Then
 * there is peace: every node serves, every range is where it should be, and everybody gets what is
 * owed to him.
 */
final class ClusterSimulation {
  private static final int ROUNDS = 30;
  private static final int WILL_PERCENT = 30;
  private static final long MAX_ROUND_MILLIS = 700;
  private static final long TIMEOUT_MILLIS = 60_000;

  /** By then every group that has a majority has a leader. */
  private static final long BEFORE_REPAIRS_MILLIS = 5_000;

  /** A lease lasts a second. */
  private static final long MAX_HALF_LEADERLESS_MILLIS = 3_000;

  /** Invariants that cost more are looked at after so many events. */
  private static final int EVENTS_BETWEEN_LOOKS = 25;

  private final Simulation simulation;
  private final Ledger ledger;
  private final ClusterLives nodes;
  private final ClusterTrouble trouble;
  private final PlacementGoal goal;
  private final Crowd crowd;
  private final ServingInvariant serving = new ServingInvariant();
  private final RouteWatch routes = new RouteWatch(serving::isOver);
  private final InboxOwners owners = new InboxOwners();
  private final TurnedAway turnedAway;
  private final WillGrace willGrace;
  private final ReplicaRows rows = new ReplicaRows();
  private final boolean keepsClients;

  /**
   * How often a run met what it is for.
   *
   * @param received messages
   * @param refusals of owners of inboxes that were none any more
   * @param compared replicas with others
   * @param routes that were answered
   * @param merges that were asked for and done
   * @param rebuilt replicas that were broken for good
   * @param excused clients that their nodes gave up or lost while they did not serve
   */
  record Figures(
      long received,
      long refusals,
      long compared,
      long routes,
      long merges,
      long rebuilt,
      long excused,
      long events) {
    static final Figures NONE = new Figures(0, 0, 0, 0, 0, 0, 0, 0);

    Figures plus(Figures other) {
      return new Figures(
          received + other.received,
          refusals + other.refusals,
          compared + other.compared,
          routes + other.routes,
          merges + other.merges,
          rebuilt + other.rebuilt,
          excused + other.excused,
          events + other.events);
    }
  }

  ClusterSimulation(long seed, int size, Path installs, ClusterDefect defect, boolean tellsStory) {
    this.simulation = new Simulation(seed);
    this.ledger = new Ledger(seed, tellsStory);
    this.turnedAway = new TurnedAway(ledger);
    this.willGrace = new WillGrace(simulation::now);
    this.keepsClients = defect.keepsClients();
    this.nodes = new ClusterLives(simulation, size, installs, watched(defect), ledger);
    willGrace.setGraceMillis(nodes.graceMillis());
    this.trouble = new ClusterTrouble(simulation, nodes, ledger);
    this.goal = new PlacementGoal(nodes);
    this.crowd = new Crowd(simulation, ledger, nodes, () -> String.valueOf(goal.missing()));
  }

  /** The defect, with the watchers between it and whoever acts on its answers. */
  private ClusterDefect watched(ClusterDefect defect) {
    return (ClusterDefect)
        Proxy.newProxyInstance(
            ClusterDefect.class.getClassLoader(),
            new Class<?>[] {ClusterDefect.class},
            (proxy, method, arguments) -> {
              Object given = method.invoke(defect, arguments);
              return switch (method.getName()) {
                case "router" -> routes.watched((RouteStore) Objects.requireNonNull(given));
                case "publisher" ->
                    turnedAway.watched((PublishRouter) Objects.requireNonNull(given));
                case "inboxes" -> owners.watched((InboxStore) Objects.requireNonNull(given));
                case "inboxesOf" ->
                    willGrace.watched(
                        (InboxStore) Objects.requireNonNull(given), (BooleanSupplier) arguments[1]);
                case "listener" -> willGrace.watched((InboxListener) Objects.requireNonNull(given));
                default -> given;
              };
            });
  }

  /**
   * @throws AssertionError naming the seed if a promise is broken
   */
  Figures run() {
    try (nodes;
        ErrorLog log = ErrorLog.open(nodes.damaged()::explains)) {
      simulation.afterEveryEvent(() -> check(log));
      nodes.bootstrap();
      crowd.subscribeSteadyClients();
      trouble.begin();
      crowd.goWild(WILL_PERCENT);
      for (int round = 0; round < ROUNDS; round++) {
        trouble.some();
        simulation.run(simulation.between(1, MAX_ROUND_MILLIS));
        rows.check(nodes.machines());
      }
      peace();
      return new Figures(
          ledger.received(),
          owners.refusals(),
          rows.compared(),
          routes.answered(),
          trouble.merges(),
          nodes.damaged().removed(),
          willGrace.excused(),
          simulation.executedEvents());
    }
  }

  private void peace() {
    trouble.end();
    await();
    crowd.await("a merge is done or given up", trouble.merge()::isDone);
    await();
    trouble.merge(); // while clients say their last words, and its leaders are lost
    crowd.rest(trouble::loseLeaders);
    await();
    if (keepsClients && nodes.areSteady()) {
      crowd.stay(
          "the metadata have no leader",
          () -> trouble.leaderless(simulation.between(500, MAX_HALF_LEADERLESS_MILLIS)));
    }
    crowd.await("wills have become of what must", () -> crowd.wrongWills().isEmpty());
    rows.check(nodes.machines());
    crowd.leave();
    await();
  }

  private void await() {
    long end = simulation.now() + TIMEOUT_MILLIS;
    long repairsFrom = simulation.now() + BEFORE_REPAIRS_MILLIS;
    while (!goal.isReached()) {
      if (simulation.now() > end) {
        throw ledger.violated("after a minute of peace: " + goal.missing());
      }
      trouble.undrain();
      if (simulation.now() > repairsFrom) {
        trouble.repairWhatIsNeeded();
      }
      simulation.run(Crowd.QUIET_MILLIS / 10);
    }
  }

  // ---- what must hold

  private void check(ErrorLog log) {
    log.assertNone(ledger);
    owners.check();
    willGrace.check();
    List<ClusterLife> running = nodes.running();
    if (simulation.executedEvents() % EVENTS_BETWEEN_LOOKS != 0) {
      return;
    }
    serving.check(running.stream().map(ClusterLife::membership).toList());
    for (ClusterLife life : running) {
      if (serving.isOver(life.id(), life.membership().incarnation())) {
        ledger.lifeOver(life.id() + "/" + life.membership().incarnation());
        life.countedDown();
      }
      var router = life.router();
      if (router != null && life.serves()) {
        routes.check(life.id(), router);
      }
    }
  }
}
