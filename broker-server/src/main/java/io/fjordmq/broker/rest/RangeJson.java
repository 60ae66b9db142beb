package io.fjordmq.broker.rest;

import io.fjordmq.broker.ops.ClusterStatus.LoadLine;
import io.fjordmq.broker.ops.ClusterStatus.PinLine;
import io.fjordmq.broker.ops.ClusterStatus.RangeLine;
import io.fjordmq.broker.ops.ClusterStatus.ReplicaLine;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A range of a replicated store. */
record RangeJson(
    @Field("Id of the range, such as `inbox-1`") String range,
    @Field("Id of the node that leads the range; absent if none is known") @Nullable String leader,
    @Field("Voting replicas") List<Replica> voters,
    @Field("Replicas that receive the log but do not vote") List<Replica> learners,
    @Field("Key range in hexadecimal; the end is exclusive") String keys,
    @Field("Load; absent if the leader has not reported it") @Nullable Load load,
    @Field("Nodes that the range is pinned to; absent if it is not pinned") @Nullable Pin pin,
    @Field("Why replicas are halted; absent if none are") @Nullable String problem) {

  /** A replica of a range. */
  record Replica(
      @Field("Id of the node that holds the replica") String node,
      @Field("Log entries that the leader has applied but the replica has not; absent if unknown")
          @Nullable Long lag) {
    static Replica of(ReplicaLine line) {
      return new Replica(line.node(), line.lag() < 0 ? null : line.lag());
    }
  }

  /** The placement that an operator chose for a range. */
  record Pin(
      @Field("Ids of the nodes that vote; more if the store has more voters") List<String> voters,
      @Field("Id of the node that leads while it can; absent if any voter may lead")
          @Nullable String leader) {}

  /** The load of a range. */
  record Load(
      @Field("Commands and queries per second") long requestsPerSecond,
      @Field("Percentage of time during which the apply thread was busy") int busyPercent,
      @Field("Mean storage time per command, in nanoseconds") long storageNanosPerCommand,
      @Field("Estimated size in bytes; absent if unknown") @Nullable Long bytes,
      @Field("Split decision of the leader, or why it leaves the range unchanged")
          String decision) {
    static Load of(LoadLine line) {
      return new Load(
          line.requests(),
          line.busyPercent(),
          line.storageNanosPerCommand(),
          line.bytes() == 0 ? null : line.bytes(),
          line.decision());
    }
  }

  static RangeJson of(RangeLine line) {
    LoadLine load = line.load();
    PinLine pin = line.pin();
    return new RangeJson(
        line.range(),
        line.leader(),
        line.voters().stream().map(Replica::of).toList(),
        line.learners().stream().map(Replica::of).toList(),
        line.keys(),
        load == null ? null : Load.of(load),
        pin == null ? null : new Pin(pin.voters(), pin.leader()),
        line.problem());
  }
}
