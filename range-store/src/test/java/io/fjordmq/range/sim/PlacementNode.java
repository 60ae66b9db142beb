package io.fjordmq.range.sim;

import io.fjordmq.api.plugin.SplitStrategy;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SimDisk;
import io.fjordmq.cluster.membership.TestMembership;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.MetadataSettings;
import io.fjordmq.cluster.metadata.MetadataStorage;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.load.SplitMergeSettings;
import io.fjordmq.range.placement.PlacementAgent;
import io.fjordmq.range.placement.PlacementDriver;
import io.fjordmq.range.placement.PlacementSettings;
import io.fjordmq.range.placement.RangeDirectory;
import io.fjordmq.range.placement.SplitMonitor;
import io.fjordmq.range.placement.StorePlacement;
import io.fjordmq.testing.RecordBuilder;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A node with metadata, replicas, an agent and a driver, which crashes and restarts. */
final class PlacementNode {
  private static final MetadataSettings METADATA = new MetadataSettings(1 << 16, 20);

  private static final PlacementSettings PLACEMENT = RangeSimSettings.PLACEMENT;

  private final StoreNode ranges;
  private final ReplicaSet metadataReplicas;
  private final Supplier<List<StorePlacement>> stores;
  private final SplitStrategy strategy;
  private final SyntheticLoads loads;
  private final SplitMergeSettings splitSettings;
  private @Nullable ComparisonWatch comparisons;
  private @Nullable RunningNode running;

  /** The components between a start and a crash. */
  record RunningNode(
      StoreNode.RunningNode ranges,
      TestMembership membership,
      MetadataGroup metadata,
      RangeDirectory directory,
      PlacementDriver driver) {}

  /**
   * @param maxRangeBytes size above which ranges are split; 0 for no limit
   */
  PlacementNode(
      StoreNode ranges,
      ReplicaSet metadataReplicas,
      Supplier<List<StorePlacement>> stores,
      SplitStrategy strategy,
      SyntheticLoads loads,
      long maxRangeBytes) {
    this.ranges = ranges;
    this.loads = loads;
    this.strategy = strategy;
    this.metadataReplicas = metadataReplicas;
    this.stores = stores;
    this.splitSettings =
        RecordBuilder.from(RangeSimSettings.SPLITS)
            .with(SplitMergeSettings::maxRangeBytes, maxRangeBytes)
            .build();
  }

  /** A checkpoint on a simulated disk; saving is immediate and atomic. */
  private record Storage(SimDisk disk) implements MetadataStorage {
    private static final String KEY = "metadata-checkpoint";

    @Override
    public byte @Nullable [] load() {
      return (byte[]) disk.get(KEY);
    }

    @Override
    public void save(byte[] checkpoint) {
      disk.put(KEY, checkpoint);
      disk.syncNow();
    }
  }

  /** Compares replicas from the next start on. */
  void compareReplicas(ComparisonWatch watch) {
    ranges.setLevel(ComparisonWatch.LEVEL);
    comparisons = watch;
  }

  RunningNode start() throws IOException {
    StoreNode.RunningNode opened = ranges.start();
    if (comparisons != null) {
      comparisons.start(id(), opened);
    }
    MetadataGroup.bootstrap(opened.host(), metadataReplicas);
    MetadataGroup metadata =
        MetadataGroup.open(
            opened.host(), new Storage(opened.host().disk()), METADATA, opened.process());
    TestMembership membership = new TestMembership(id());
    RangeDirectory directory = new RangeDirectory();
    metadata.watch(directory);
    SplitMonitor monitor =
        new SplitMonitor(
            opened.store(),
            strategy,
            Set.of("words"),
            splitSettings,
            () -> 0,
            opened.runtime().timers(),
            Runnable::run,
            RangeObserver.NONE);
    PlacementAgent agent =
        PlacementAgent.serve(
            opened.store(),
            opened.calls(),
            () -> membership.members().latestRemovalVersion(),
            () -> loads.applyTo(monitor.reports()),
            PlacementAgent.Consent.ALWAYS);
    PlacementDriver driver =
        new PlacementDriver(
            membership,
            opened.calls(),
            agent,
            metadata::leadership,
            directory,
            opened.runtime().timers(),
            stores,
            PLACEMENT,
            RangeObserver.NONE);
    driver.start();
    monitor.start();
    RunningNode started = new RunningNode(opened, membership, metadata, directory, driver);
    running = started;
    return started;
  }

  NodeId id() {
    return ranges.id();
  }

  boolean isUp() {
    return running != null;
  }

  RunningNode running() {
    RunningNode current = running;
    if (current == null) {
      throw new IllegalStateException(id() + " is down");
    }
    return current;
  }

  StoreNode ranges() {
    return ranges;
  }

  void crash() {
    ranges.crash();
    running = null;
  }
}
