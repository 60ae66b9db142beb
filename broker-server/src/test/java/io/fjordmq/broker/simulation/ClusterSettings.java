package io.fjordmq.broker.simulation;

import io.fjordmq.broker.nodes.NodesSettings;
import io.fjordmq.cluster.consensus.sim.Simulation;
import io.fjordmq.cluster.membership.MembershipSettings;
import io.fjordmq.inbox.InboxReplicas;
import io.fjordmq.range.load.SplitMergeSettings;
import io.fjordmq.range.placement.MergeSettings;
import io.fjordmq.range.placement.PlacementSettings;
import io.fjordmq.range.placement.StorePlacement;
import io.fjordmq.range.sim.RandomWishes;
import io.fjordmq.router.RouterSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** The settings of all nodes for one run: short leases, so that they run out, and small bounds. */
record ClusterSettings(
    SimSettings broker, MembershipSettings membership, NodesSettings nodes, RandomWishes wishes) {
  /** How often it wants a range split that has anything to do. */
  private static final int WISHES_PERCENT = 10;

  static final SplitMergeSettings SHAPES =
      new SplitMergeSettings(
          Set.copyOf(SimStores.NAMES),
          20,
          Duration.ofMillis(500),
          Duration.ofSeconds(1),
          Duration.ofSeconds(2),
          0);

  private static final RouterSettings.Barrier BARRIER =
      new RouterSettings.Barrier(
          Duration.ofMillis(200), Duration.ofMillis(50), Duration.ofSeconds(4));

  static ClusterSettings draw(Simulation simulation, Path directory) {
    return new ClusterSettings(
        SimSettings.draw(simulation, directory).with(BARRIER),
        new MembershipSettings(
            Duration.ofMillis(200),
            Duration.ofMillis(1_000),
            Duration.ofMillis(5_000),
            Duration.ofMillis(100),
            Duration.ofMillis(400),
            Duration.ofMillis(1_500)),
        new NodesSettings(
            (int) simulation.between(1, 50),
            (int) simulation.between(200, 8_000),
            2_000,
            16_000,
            1_000,
            (int) simulation.between(1, 4),
            Duration.ofMillis(simulation.between(500, 5_000)),
            Duration.ofMillis(300),
            Duration.ofMillis(50)),
        new RandomWishes(simulation, WISHES_PERCENT));
  }

  /**
   * @param voters of each range
   */
  PlacementSettings placement(int voters) {
    return new PlacementSettings(
        List.of(
            new StorePlacement(SimStores.ROUTES, voters, true),
            new StorePlacement(InboxReplicas.STORE, voters, false),
            new StorePlacement(SimStores.RETAINED, voters, false)),
        Duration.ofMillis(200),
        Duration.ofMillis(20),
        Duration.ofMillis(200),
        Duration.ofSeconds(2),
        Duration.ofSeconds(1),
        Duration.ofMillis(500),
        4,
        new MergeSettings(Duration.ofSeconds(5), Duration.ofMillis(1_500), Duration.ofMillis(500)));
  }
}
