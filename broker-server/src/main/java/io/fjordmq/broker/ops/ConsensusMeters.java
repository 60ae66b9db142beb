package io.fjordmq.broker.ops;

import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.GroupId;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Metrics of the Raft groups. */
final class ConsensusMeters implements ConsensusObserver {
  private final Timer fsync;
  private final LongAdder entries;
  private final LongAdder bytes;
  private final LongAdder elections;
  private final LongAdder stepDowns;
  private final LongAdder halts;
  private final Map<ConsensusException.Kind, LongAdder> failed;
  private final Map<TrafficDrop, LongAdder> trafficDropped;
  private final Map<SnapshotStep, Timer> snapshots = new EnumMap<>(SnapshotStep.class);
  private final Map<SnapshotStep, LongAdder> snapshotBytes;
  private final Map<SnapshotStep, LongAdder> snapshotsFailed;

  ConsensusMeters(Meters meters) {
    fsync = meters.timer(RaftMetric.RAFT_FSYNC);
    entries = meters.counter(RaftMetric.RAFT_ENTRIES);
    bytes = meters.counter(RaftMetric.RAFT_BYTES);
    elections = meters.counter(RaftMetric.RAFT_ELECTIONS);
    stepDowns = meters.counter(RaftMetric.RAFT_STEP_DOWNS);
    halts = meters.counter(RaftMetric.RAFT_HALTS);
    failed =
        meters.counters(
            RaftMetric.RAFT_PROPOSALS_FAILED,
            ConsensusException.Kind.class,
            kind -> kind.name().toLowerCase(Locale.ROOT));
    trafficDropped =
        meters.counters(
            RaftMetric.RAFT_TRAFFIC_DROPPED,
            TrafficDrop.class,
            reason -> reason.name().toLowerCase(Locale.ROOT));
    for (SnapshotStep step : SnapshotStep.values()) {
      snapshots.put(step, meters.timer(RaftMetric.RAFT_SNAPSHOT, label(step)));
    }
    snapshotBytes =
        meters.counters(RaftMetric.RAFT_SNAPSHOT_BYTES, SnapshotStep.class, ConsensusMeters::label);
    snapshotsFailed =
        meters.counters(
            RaftMetric.RAFT_SNAPSHOTS_FAILED, SnapshotStep.class, ConsensusMeters::label);
  }

  private static String label(SnapshotStep step) {
    return step.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public void onAppended(GroupId group, int entryCount, long byteCount, long nanos) {
    fsync.record(nanos, TimeUnit.NANOSECONDS);
    entries.add(entryCount);
    bytes.add(byteCount);
  }

  @Override
  public void onElected(GroupId group, long term) {
    elections.increment();
  }

  @Override
  public void onStepDown(GroupId group) {
    stepDowns.increment();
  }

  @Override
  public void onHalted(GroupId group, ConsensusException cause) {
    halts.increment();
  }

  @Override
  public void onTrafficDropped(TrafficDrop reason) {
    Objects.requireNonNull(trafficDropped.get(reason)).increment();
  }

  @Override
  public void onSnapshot(GroupId group, SnapshotStep step, long byteCount, long nanos) {
    Objects.requireNonNull(snapshots.get(step)).record(nanos, TimeUnit.NANOSECONDS);
    Objects.requireNonNull(snapshotBytes.get(step)).add(byteCount);
  }

  @Override
  public void onSnapshotFailed(GroupId group, SnapshotStep step) {
    Objects.requireNonNull(snapshotsFailed.get(step)).increment();
  }

  @Override
  public void onProposalFailed(GroupId group, ConsensusException.Kind kind) {
    Objects.requireNonNull(failed.get(kind)).increment();
  }
}
