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
 * One seed's run of a whole cluster: one node creates it, others join, and all of them crash,
 * stall, are cut off and restart elsewhere, while clients act randomly at any of them. Then all
 * faults end: every node serves, every range is placed correctly, and every client receives its
 * messages.
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

  /** Expensive invariants are checked after this many events. */
  private static final int EVENTS_BETWEEN_CHECKS = 25;

  private final Simulation simulation;
  private final Ledger ledger;
  private final SimClusterNodes nodes;
  private final ClusterFaults trouble;
  private final PlacementGoal goal;
  private final ModelClients crowd;
  private final ServingInvariant serving = new ServingInvariant();
  private final RouteInvariant routes = new RouteInvariant(serving::hasEnded);
  private final InboxOwnershipInvariant owners = new InboxOwnershipInvariant();
  private final RejectedPublications turnedAway;
  private final WillGraceInvariant willGrace;
  private final ReplicaRowsInvariant rows = new ReplicaRowsInvariant();
  private final boolean keepsClients;

  /**
   * Statistics that show whether a run covered its purpose.
   *
   * @param received messages
   * @param refusals of owners of inboxes that were none any more
   * @param compared replicas with others
   * @param routes that were answered
   * @param merges that were asked for and done
   * @param rebuilt replicas that were broken for good
   * @param excused clients that their nodes gave up or lost while they did not serve
   */
  record RunStatistics(
      long received,
      long refusals,
      long compared,
      long routes,
      long merges,
      long rebuilt,
      long excused,
      long events) {
    static final RunStatistics NONE = new RunStatistics(0, 0, 0, 0, 0, 0, 0, 0);

    RunStatistics plus(RunStatistics other) {
      return new RunStatistics(
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
    this.turnedAway = new RejectedPublications(ledger);
    this.willGrace = new WillGraceInvariant(simulation::now);
    this.keepsClients = defect.keepsClients();
    this.nodes = new SimClusterNodes(simulation, size, installs, watched(defect), ledger);
    willGrace.setGraceMillis(nodes.graceMillis());
    this.trouble = new ClusterFaults(simulation, nodes, ledger);
    this.goal = new PlacementGoal(nodes);
    this.crowd = new ModelClients(simulation, ledger, nodes, () -> String.valueOf(goal.missing()));
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
   * @throws AssertionError naming the seed if a guarantee is violated
   */
  RunStatistics run() {
    try (nodes;
        ErrorLog log = ErrorLog.open(nodes.damaged()::explains)) {
      simulation.afterEveryEvent(() -> check(log));
      nodes.bootstrap();
      crowd.subscribeSteadyClients();
      trouble.enableNetworkFaults();
      crowd.startRandomActivity(WILL_PERCENT);
      for (int round = 0; round < ROUNDS; round++) {
        trouble.injectSome();
        simulation.run(simulation.between(1, MAX_ROUND_MILLIS));
        rows.check(nodes.machines());
      }
      recover();
      return new RunStatistics(
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

  private void recover() {
    trouble.end();
    await();
    crowd.await("a merge is done or given up", trouble.merge()::isDone);
    await();
    trouble.merge(); // while clients say their last words, and its leaders are lost
    crowd.stopRandomActivity(trouble::loseLeaders);
    await();
    if (keepsClients && nodes.areSteady()) {
      crowd.stay(
          "the metadata have no leader",
          () -> trouble.leaderless(simulation.between(500, MAX_HALF_LEADERLESS_MILLIS)));
    }
    crowd.await("wills have the expected fate", () -> crowd.wrongWills().isEmpty());
    rows.check(nodes.machines());
    crowd.leave();
    await();
  }

  private void await() {
    long end = simulation.now() + TIMEOUT_MILLIS;
    long repairsFrom = simulation.now() + BEFORE_REPAIRS_MILLIS;
    while (!goal.isReached()) {
      if (simulation.now() > end) {
        throw ledger.violation("after a minute of peace: " + goal.missing());
      }
      trouble.undrain();
      if (simulation.now() > repairsFrom) {
        trouble.repairWhatIsNeeded();
      }
      simulation.run(ModelClients.QUIET_MILLIS / 10);
    }
  }

  // ---- what must hold

  private void check(ErrorLog log) {
    log.assertNone(ledger);
    owners.check();
    willGrace.check();
    List<SimNodeProcess> running = nodes.running();
    if (simulation.executedEvents() % EVENTS_BETWEEN_CHECKS != 0) {
      return;
    }
    serving.check(running.stream().map(SimNodeProcess::membership).toList());
    for (SimNodeProcess life : running) {
      if (serving.hasEnded(life.id(), life.membership().incarnation())) {
        ledger.incarnationEnded(life.id() + "/" + life.membership().incarnation());
        life.countedDown();
      }
      var router = life.router();
      if (router != null && life.serves()) {
        routes.check(life.id(), router);
      }
    }
  }
}
