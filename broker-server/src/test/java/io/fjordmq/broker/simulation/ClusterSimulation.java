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
  private final ClusterFaults faults;
  private final PlacementGoal goal;
  private final ModelClients clients;
  private final ServingInvariant serving = new ServingInvariant();
  private final RouteInvariant routes = new RouteInvariant(serving::hasEnded);
  private final InboxOwnershipInvariant owners = new InboxOwnershipInvariant();
  private final RejectedPublications rejectedPublications;
  private final WillGraceInvariant willGrace;
  private final ReplicaRowsInvariant rows = new ReplicaRowsInvariant();
  private final boolean keepsClients;

  /**
   * Statistics that show whether a run covered its purpose.
   *
   * @param received messages
   * @param refusals rejected calls of former inbox owners
   * @param compared comparisons of a replica with one of another node
   * @param routes acknowledged route changes
   * @param merges requested merges that were completed
   * @param rebuilt permanently broken replicas that were rebuilt
   * @param excused connections that nodes closed or lost while they did not serve
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

  ClusterSimulation(
      long seed, int size, Path installs, ClusterDefect defect, boolean printsRecentEvents) {
    this.simulation = new Simulation(seed);
    this.ledger = new Ledger(seed, printsRecentEvents);
    this.rejectedPublications = new RejectedPublications(ledger);
    this.willGrace = new WillGraceInvariant(simulation::now);
    this.keepsClients = defect.keepsClients();
    this.nodes = new SimClusterNodes(simulation, size, installs, withInvariants(defect), ledger);
    willGrace.setGraceMillis(nodes.graceMillis());
    this.faults = new ClusterFaults(simulation, nodes, ledger);
    this.goal = new PlacementGoal(nodes);
    this.clients =
        new ModelClients(simulation, ledger, nodes, () -> String.valueOf(goal.firstDifference()));
  }

  /** Wraps the stores and listeners that the defect returns, so that invariants are checked. */
  private ClusterDefect withInvariants(ClusterDefect defect) {
    return (ClusterDefect)
        Proxy.newProxyInstance(
            ClusterDefect.class.getClassLoader(),
            new Class<?>[] {ClusterDefect.class},
            (proxy, method, arguments) -> {
              Object given = method.invoke(defect, arguments);
              return switch (method.getName()) {
                case "wrapRouteStore" -> routes.wrap((RouteStore) Objects.requireNonNull(given));
                case "wrapPublishRouter" ->
                    rejectedPublications.wrap((PublishRouter) Objects.requireNonNull(given));
                case "wrapInboxStore" -> owners.wrap((InboxStore) Objects.requireNonNull(given));
                case "wrapInboxStoreOfNode" ->
                    willGrace.wrap(
                        (InboxStore) Objects.requireNonNull(given), (BooleanSupplier) arguments[1]);
                case "wrapInboxListener" ->
                    willGrace.wrap((InboxListener) Objects.requireNonNull(given));
                default -> given;
              };
            });
  }

  /**
   * @throws AssertionError naming the seed if a guarantee is violated
   */
  RunStatistics run() {
    try (nodes;
        ErrorLog log = ErrorLog.open(nodes.damaged()::isExpectedLog)) {
      simulation.afterEveryEvent(() -> check(log));
      nodes.bootstrap();
      clients.subscribeSteadyClients();
      faults.enableNetworkFaults();
      clients.startRandomActivity(WILL_PERCENT);
      for (int round = 0; round < ROUNDS; round++) {
        faults.injectRandomFaults();
        simulation.run(simulation.between(1, MAX_ROUND_MILLIS));
        rows.check(nodes.machines());
      }
      recover();
      return new RunStatistics(
          ledger.received(),
          owners.refusals(),
          rows.compared(),
          routes.acknowledgedChanges(),
          faults.completedMerges(),
          nodes.damaged().removed(),
          willGrace.excused(),
          simulation.executedEvents());
    }
  }

  private void recover() {
    faults.endFaults();
    await();
    clients.await("the merge is completed or canceled", faults.mergeRandomRange()::isDone);
    await();
    faults.mergeRandomRange(); // while clients publish their last messages and leaders are lost
    clients.stopRandomActivity(faults::loseLeaders);
    await();
    if (keepsClients && nodes.tolerateSlowReplicas()) {
      clients.assertConnectionsSurvive(
          "the metadata have no leader",
          () -> faults.keepMetadataLeaderless(simulation.between(500, MAX_HALF_LEADERLESS_MILLIS)));
    }
    clients.await("wills have the expected fate", () -> clients.wrongWills().isEmpty());
    rows.check(nodes.machines());
    clients.endAllSessions();
    await();
  }

  private void await() {
    long end = simulation.now() + TIMEOUT_MILLIS;
    long repairsFrom = simulation.now() + BEFORE_REPAIRS_MILLIS;
    while (!goal.isReached()) {
      if (simulation.now() > end) {
        throw ledger.violation("a minute after the last fault: " + goal.firstDifference());
      }
      faults.undrain();
      if (simulation.now() > repairsFrom) {
        faults.repairUnrecoverableReplicas();
      }
      simulation.run(ModelClients.QUIET_MILLIS / 10);
    }
  }

  // ---- what must hold

  private void check(ErrorLog log) {
    log.assertNone(ledger);
    owners.check();
    willGrace.check();
    if (simulation.executedEvents() % EVENTS_BETWEEN_CHECKS != 0) {
      return;
    }
    List<SimNodeProcess> running = nodes.running();
    serving.check(running.stream().map(SimNodeProcess::membership).toList());
    for (SimNodeProcess life : running) {
      if (serving.hasEnded(life.id(), life.membership().incarnation())) {
        ledger.recordEndedIncarnation(life.id() + "/" + life.membership().incarnation());
        life.onMarkedDown();
      }
      var router = life.router();
      if (router != null && life.isServing()) {
        routes.check(life.id(), router);
      }
    }
  }
}
