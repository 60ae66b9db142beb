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
    fsync = meters.timer(Metric.RAFT_FSYNC);
    entries = meters.counter(Metric.RAFT_ENTRIES);
    bytes = meters.counter(Metric.RAFT_BYTES);
    elections = meters.counter(Metric.RAFT_ELECTIONS);
    stepDowns = meters.counter(Metric.RAFT_STEP_DOWNS);
    halts = meters.counter(Metric.RAFT_HALTS);
    failed =
        meters.counters(
            Metric.RAFT_PROPOSALS_FAILED,
            ConsensusException.Kind.class,
            kind -> kind.name().toLowerCase(Locale.ROOT));
    trafficDropped =
        meters.counters(
            Metric.RAFT_TRAFFIC_DROPPED,
            TrafficDrop.class,
            reason -> reason.name().toLowerCase(Locale.ROOT));
  }

  @Override
  public void appended(GroupId group, int entryCount, long byteCount, long nanos) {
    fsync.record(nanos, TimeUnit.NANOSECONDS);
    entries.add(entryCount);
    bytes.add(byteCount);
  }

  @Override
  public void elected(GroupId group, long term) {
    elections.increment();
  }

  @Override
  public void steppedDown(GroupId group) {
    stepDowns.increment();
  }

  @Override
  public void halted(GroupId group, ConsensusException cause) {
    halts.increment();
  }

  @Override
  public void trafficDropped(TrafficDrop reason) {
    Objects.requireNonNull(trafficDropped.get(reason)).increment();
  }

  @Override
  public void proposalFailed(GroupId group, ConsensusException.Kind kind) {
    Objects.requireNonNull(failed.get(kind)).increment();
  }
}
