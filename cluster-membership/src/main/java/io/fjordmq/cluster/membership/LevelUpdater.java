package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.metadata.LevelRecord;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.MetadataView;
import io.fjordmq.cluster.metadata.NodeLevels;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.common.Timers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cluster level, maintained by the metadata leader: raises it when {@link LevelPlan} says so or
 * an operator asks for it. Used by the membership thread.
 */
final class LevelUpdater {
  private static final Logger LOG = LoggerFactory.getLogger(LevelUpdater.class);

  private final MetadataGroup metadata;
  private final MembershipSettings settings;
  private final ClusterClock clock;
  private final Timers timers;
  private boolean writing;
  private @Nullable MetadataView planned;
  private LevelPlan plan;

  LevelUpdater(
      MetadataGroup metadata, MembershipSettings settings, ClusterClock clock, Timers timers) {
    this.metadata = metadata;
    this.settings = settings;
    this.clock = clock;
    this.timers = timers;
    this.plan = plan(metadata.view());
  }

  private static LevelPlan plan(MetadataView view) {
    return new LevelPlan(LevelRecord.of(view), NodeLevels.ofMembers(view));
  }

  /** Must be called periodically while this node leads and knows cluster time. */
  void adjust(long term) {
    MetadataView view = metadata.view();
    if (view != planned) {
      plan = plan(view);
      planned = view;
    }
    LevelRecord next =
        plan.next(settings.autoRaiseLevel(), settings.levelHoldDown().toMillis(), clock.millis());
    if (!writing && !next.equals(plan.record())) {
      write(term, view, next);
    }
  }

  /**
   * Raises the level now.
   *
   * @param level the new level; 0 for the highest that all members support
   */
  CompletableFuture<LeaderResponse> raise(long term, int level) {
    MetadataView view = metadata.view();
    LevelPlan current = plan(view);
    int target = level == 0 ? current.highestCommon() : level;
    String obstacle = current.obstacle(target);
    if (obstacle != null) {
      return CompletableFuture.completedFuture(new LeaderResponse.Refused(obstacle));
    }
    if (target == current.record().level()) {
      return CompletableFuture.completedFuture(new LeaderResponse.LevelRaised(target));
    }
    return write(term, view, current.raised(target, clock.millis()))
        .thenApply(
            result ->
                result instanceof WriteResult.Applied
                    ? new LeaderResponse.LevelRaised(target)
                    : new LeaderResponse.Failed(
                        ConsensusException.Kind.BUSY,
                        "a node registered or the level changed at the same time; try again"));
  }

  private CompletableFuture<WriteResult> write(long term, MetadataView view, LevelRecord next) {
    LevelRecord before = LevelRecord.of(view);
    writing = true;
    return metadata
        .write(term, List.of(next.put(view)))
        .whenCompleteAsync(
            (result, failure) -> {
              writing = false;
              if (result instanceof WriteResult.Applied) {
                report(before, next);
              } else if (failure != null) {
                LOG.debug("Cannot write the cluster level; retrying: {}", failure.getMessage());
              }
            },
            timers);
  }

  private void report(LevelRecord before, LevelRecord next) {
    if (next.level() > before.level()) {
      LOG.info(
          "Raised the cluster level; older versions can no longer join level={} before={}",
          next.level(),
          before.level());
    } else if (next.next() > 0 && next.next() != before.next()) {
      LOG.info(
          "All members support a higher cluster level; {} next={} level={}",
          settings.autoRaiseLevel()
              ? "raising it after membershipConfig.levelHoldDown"
              : "raise it with 'fjordmq cluster upgrade'",
          next.next(),
          next.level());
    }
  }
}
