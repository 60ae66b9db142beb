package io.fjordmq.broker.simulation;

import io.fjordmq.broker.nodes.NodesSettings;
import io.fjordmq.cluster.membership.MembershipSettings;
import io.fjordmq.inbox.InboxReplicas;
import io.fjordmq.range.load.SplitMergeSettings;
import io.fjordmq.range.placement.PlacementSettings;
import io.fjordmq.range.placement.StorePlacement;
import io.fjordmq.range.sim.RandomSplitStrategy;
import io.fjordmq.range.sim.RangeSimSettings;
import io.fjordmq.retain.RetainReplicas;
import io.fjordmq.router.RouteReplicas;
import io.fjordmq.router.RouteSettings;
import io.fjordmq.testing.RecordBuilder;
import io.fjordmq.testing.Simulation;
import java.time.Duration;
import java.util.List;

/** The settings of all nodes for one run: short leases, so that they run out, and small bounds. */
record ClusterSettings(
    SimSettings broker,
    MembershipSettings membership,
    NodesSettings nodes,
    RandomSplitStrategy wishes) {
  /** How often it wants a range split that has anything to do. */
  private static final int SPLIT_REQUEST_PERCENT = 10;

  static final SplitMergeSettings SPLIT_MERGE = RangeSimSettings.SPLITS;

  static final PlacementSettings PLACEMENT = RangeSimSettings.PLACEMENT;

  private static final RouteSettings.Barrier BARRIER =
      new RouteSettings.Barrier(
          Duration.ofMillis(200), Duration.ofMillis(50), Duration.ofSeconds(4));

  private static final Duration WILL_GRACE = Duration.ofSeconds(3);

  static ClusterSettings draw(Simulation simulation) {
    return new ClusterSettings(
        SimSettings.draw(simulation)
            .with(BARRIER, simulation.chance(50) ? WILL_GRACE : Duration.ZERO),
        RecordBuilder.from(MembershipSettings.DEFAULT)
            .with(MembershipSettings::heartbeat, Duration.ofMillis(200))
            .with(MembershipSettings::lease, Duration.ofMillis(1_000))
            .with(MembershipSettings::maxLag, Duration.ofMillis(5_000))
            .with(MembershipSettings::retryInterval, Duration.ofMillis(100))
            .with(MembershipSettings::clockTolerance, Duration.ofMillis(400))
            .with(MembershipSettings::maxClockAdvance, Duration.ofHours(1))
            .with(MembershipSettings::unreachableAfter, Duration.ofMillis(1_500))
            .build(),
        RecordBuilder.from(NodesSettings.DEFAULTS)
            .with(NodesSettings::maxBatchItems, (int) simulation.between(1, 50))
            .with(NodesSettings::maxBatchBytes, (int) simulation.between(200, 8_000))
            .with(NodesSettings::highWaterBytes, 2_000)
            .with(NodesSettings::maxQueuedBytes, 16_000)
            .with(NodesSettings::maxQueuedNotices, 1_000)
            .with(NodesSettings::maxLaggingSessions, (int) simulation.between(1, 4))
            .with(NodesSettings::publishTimeout, Duration.ofMillis(simulation.between(500, 5_000)))
            .with(NodesSettings::responseTimeout, Duration.ofMillis(300))
            .with(NodesSettings::resendAfter, Duration.ofMillis(50))
            .build(),
        new RandomSplitStrategy(simulation, SPLIT_REQUEST_PERCENT));
  }

  /**
   * @param voters of each range
   */
  static List<StorePlacement> stores(int voters) {
    return List.of(
        new StorePlacement(RouteReplicas.STORE, voters, true),
        new StorePlacement(InboxReplicas.STORE, voters, false),
        new StorePlacement(RetainReplicas.STORE, voters, false));
  }
}
