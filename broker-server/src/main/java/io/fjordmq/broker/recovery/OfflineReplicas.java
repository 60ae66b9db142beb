package io.fjordmq.broker.recovery;

import io.fjordmq.broker.config.BrokerConfig;
import io.fjordmq.broker.limits.MemoryLimits;
import io.fjordmq.cluster.ClusterLevel;
import io.fjordmq.cluster.DataDirectory;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.SupportedLevels;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.ConsensusSettings;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.RaftPortConfig;
import io.fjordmq.cluster.consensus.jraft.JRaftHost;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.LevelRecord;
import io.fjordmq.cluster.metadata.MetadataFile;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.inbox.InboxObserver;
import io.fjordmq.inbox.InboxReplicas;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.kv.Kv;
import io.fjordmq.range.placement.RangeDirectory;
import io.fjordmq.range.store.RangeStore;
import io.fjordmq.range.store.RangeThreads;
import io.fjordmq.range.store.ReplicaStatus;
import io.fjordmq.retain.RetainReplicas;
import io.fjordmq.router.RouteReplicas;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The replicas of a stopped node, opened without a network: this node is the only voter of some
 * groups, and cannot reach the others of the remaining ones. Used by one thread; blocks.
 */
final class OfflineReplicas implements AutoCloseable {
  /** Without progress; applying a long log takes much longer. */
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  private static final long POLL_NANOS = 20_000_000;
  private static final int MAX_BATCH = 200;

  /** Versions that entries may have added which only the lost nodes had. */
  private static final int LOST_VERSIONS = 2;

  /**
   * Stamped into entries. The clock of a range never runs backward, so the earliest time leaves it
   * unchanged.
   */
  private static final long NO_TIME = 1;

  private final Set<GroupId> groups;
  private final JRaftHost host;
  private final RangeThreads threads;
  private final ExecutorService disk =
      Executors.newSingleThreadExecutor(task -> new Thread(task, "recovery-disk"));
  private @Nullable MetadataGroup metadata;
  private @Nullable RangeStore ranges;

  /**
   * Opens all replicas on the disk.
   *
   * @param self the id of the node from now on
   * @param groups the groups of which the node becomes the only voter. If the metadata group is not
   *     among them, it is not opened
   */
  static OfflineReplicas open(
      BrokerConfig config, DataDirectory directory, Kv kv, NodeId self, Set<GroupId> groups)
      throws IOException {
    OfflineReplicas replicas = new OfflineReplicas(config, directory, self, groups);
    try {
      replicas.openGroups(config, directory, kv, self);
      return replicas;
    } catch (IOException | RuntimeException e) {
      replicas.close();
      throw e;
    }
  }

  private OfflineReplicas(
      BrokerConfig config, DataDirectory directory, NodeId self, Set<GroupId> groups) {
    this.groups = Set.copyOf(groups);
    this.host = openHost(config, directory, self);
    this.threads =
        new RangeThreads(
            config.rangeConfig().queryThreads(), config.rangeConfig().maxWaitingQueries());
  }

  /** Opens the log of the node. */
  static JRaftHost openHost(BrokerConfig config, DataDirectory directory, NodeId self) {
    ConsensusSettings settings = config.consensusConfig();
    return JRaftHost.open(
        self,
        directory.resolve("log"),
        settings.withLog(settings.log().sizedFor(MemoryLimits.ofProcess().databases())),
        ConsensusObserver.NONE,
        new RaftPortConfig(
            null,
            node -> null,
            config.raftPortConfig(),
            StartFence.inMemory(self, StartStamp.NONE)));
  }

  /** Returns the stores of a node. */
  static List<StoreSpec> stores(BrokerConfig config) {
    return List.of(
        new RouteReplicas(config.routerConfig()).spec(),
        new InboxReplicas(config.inboxConfig(), new NoOpInboxListener(), InboxObserver.NONE).spec(),
        new RetainReplicas(config.retainConfig()).spec());
  }

  private void openGroups(BrokerConfig config, DataDirectory directory, Kv kv, NodeId self)
      throws IOException {
    host.becomeSoleVoter(groups);
    MetadataGroup opened = null;
    if (groups.contains(MetadataGroup.GROUP)) {
      opened =
          MetadataGroup.open(
              host, new MetadataFile(directory.resolve("metadata")), config.metadataConfig(), disk);
      metadata = opened;
      MetadataGroup group = opened;
      await(
          () -> group.leadership().leading() ? null : notRecovered(group.failure()),
          () -> group.status().appliedIndex());
    }
    MetadataGroup group = opened;
    ranges =
        RangeStore.open(
            self,
            host,
            kv,
            stores(config),
            directory.resolve("install"),
            config.rangeConfig().replicas(),
            threads.runtime(() -> NO_TIME, level(group)),
            new RangeObserver() {},
            range ->
                group == null ? Optional.empty() : RangeDirectory.published(group.view(), range));
    await(this::firstNotLed, this::applied);
  }

  /** Returns the level of the cluster; the first one if its metadata are not recovered. */
  private static ClusterLevel level(@Nullable MetadataGroup group) {
    return group == null
        ? ClusterLevel.first()
        : ClusterLevel.fixed(LevelRecord.of(group.view()).level(), SupportedLevels.ofThisProcess());
  }

  private static String notRecovered(@Nullable String failure) {
    return "the metadata group is not recovered" + (failure == null ? "" : ": " + failure);
  }

  /** A group that does not have this node as its leader yet; null if there is none. */
  private @Nullable String firstNotLed() {
    for (ReplicaStatus replica : status()) {
      if (groups.contains(replica.descriptor().group()) && !replica.leading()) {
        return "range %s is not recovered%s"
            .formatted(
                replica.descriptor().id(),
                replica.failure() == null ? "" : ": " + replica.failure());
      }
    }
    return null;
  }

  private long applied() {
    return status().stream().mapToLong(ReplicaStatus::appliedIndex).sum();
  }

  /**
   * Waits until nothing is missing.
   *
   * @param missing describes what is missing; null once nothing is
   * @param progress changes while it is worth waiting
   */
  private static void await(Supplier<@Nullable String> missing, LongSupplier progress)
      throws RecoveryException {
    long last = progress.getAsLong();
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    String reason = missing.get();
    while (reason != null) {
      long now = progress.getAsLong();
      if (now != last) {
        last = now;
        deadline = System.nanoTime() + TIMEOUT.toNanos();
      } else if (System.nanoTime() > deadline) {
        throw new RecoveryException(
            "cannot recover this node: %s, without progress for %d s"
                .formatted(reason, TIMEOUT.toSeconds()));
      }
      LockSupport.parkNanos(POLL_NANOS);
      reason = missing.get();
    }
  }

  MetadataGroup metadata() {
    MetadataGroup opened = metadata;
    if (opened == null) {
      throw new IllegalStateException("the metadata group is not open");
    }
    return opened;
  }

  RangeStore ranges() {
    RangeStore opened = ranges;
    if (opened == null) {
      throw new IllegalStateException("the ranges are not open");
    }
    return opened;
  }

  List<ReplicaStatus> status() {
    return ranges().status();
  }

  /** Returns whether this node is the only voter of all ranges of which it has data. */
  boolean isComplete() {
    return status().stream()
        .allMatch(
            replica ->
                replica.appliedIndex() == 0 || groups.contains(replica.descriptor().group()));
  }

  /**
   * Raises the epoch version of the ranges of which this node became the only voter. The positions
   * of their logs are given to new entries from now on, so what was ordered by a position of lost
   * entries must have an older epoch.
   *
   * @param published the ranges in the metadata, of which this node may have missed changes
   */
  void raiseEpochs(RangeDirectory published) throws IOException {
    for (ReplicaStatus replica : status()) {
      if (groups.contains(replica.descriptor().group()) && replica.merging() == null) {
        RangeDescriptor range = replica.descriptor();
        RangeDirectory.Published known = published.ranges().get(range.id());
        long lost = known == null ? 0 : known.descriptor().epoch().version();
        long target = Math.max(range.epoch().version(), lost) + LOST_VERSIONS;
        long before = 0;
        while (range.epoch().version() < target && range.epoch().version() > before) {
          before = range.epoch().version();
          await("raise the epoch of range " + range.id(), ranges().merges().bumpEpoch(range));
          range = current(range);
        }
      }
    }
  }

  private RangeDescriptor current(RangeDescriptor range) {
    return status().stream()
        .map(ReplicaStatus::descriptor)
        .filter(other -> other.id().equals(range.id()))
        .findFirst()
        .orElse(range);
  }

  /** Writes metadata, in batches. */
  void write(List<Change> changes) throws IOException {
    for (int from = 0; from < changes.size(); from += MAX_BATCH) {
      List<Change> batch =
          new ArrayList<>(changes.subList(from, Math.min(from + MAX_BATCH, changes.size())));
      if (await("write the metadata", metadata().write(batch))
          instanceof WriteResult.Conflict conflict) {
        throw new RecoveryException("the metadata has changed meanwhile: " + conflict.key());
      }
    }
  }

  /** Makes the metadata durable outside of its log. */
  void checkpointMetadata() throws IOException {
    await("write a checkpoint of the metadata", metadata().checkpoint());
  }

  private static <T> T await(String what, CompletableFuture<T> future) throws IOException {
    try {
      return future.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException | ConsensusException e) {
      throw new RecoveryException("cannot " + what + ": " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RecoveryException("interrupted while waiting to " + what, e);
    }
  }

  @Override
  public void close() {
    if (ranges != null) {
      ranges.close();
    }
    if (metadata != null) {
      metadata.close();
    }
    host.close();
    threads.close();
    disk.shutdown();
  }
}
