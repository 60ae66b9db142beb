package io.fjordmq.broker.ops;

import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.GroupId;
import io.micrometer.core.instrument.Timer;
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
  public void onProposalFailed(GroupId group, ConsensusException.Kind kind) {
    Objects.requireNonNull(failed.get(kind)).increment();
  }
}
