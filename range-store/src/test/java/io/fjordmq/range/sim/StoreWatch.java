package io.fjordmq.range.sim;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.range.ApplyContext;
import io.fjordmq.range.Coprocessor;
import io.fjordmq.range.EffectListener;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.kv.KvReader;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Records which nodes' replicas change, and which node was the last leader of each range. */
final class StoreWatch {
  private final Set<NodeId> changedNodes = new LinkedHashSet<>();
  private final Map<RangeId, Leadership> latestLeaderships = new HashMap<>();

  /** The latest leadership; the node is null once it has crashed. */
  private record Leadership(@Nullable NodeId node, long term) {}

  /**
   * @param termOf the term in which the node leads a range
   */
  StoreSpec wrap(NodeId node, StoreSpec spec, ToLongFunction<RangeId> termOf) {
    EffectListener effects =
        new EffectListener() {
          @Override
          public void onEffects(RangeId range, List<Object> what) {
            spec.effects().onEffects(range, what);
          }

          @Override
          public void onLeaderStart(RangeId range) {
            onLeading(node, range, termOf.applyAsLong(range));
            spec.effects().onLeaderStart(range);
          }
        };
    return new StoreSpec(
        spec.name(),
        spec.initialSplitKeys(),
        range -> new WatchedCoprocessor(node, spec.coprocessorFactory().apply(range)),
        effects,
        spec.splitKeyFloor());
  }

  private void onLeading(NodeId node, RangeId range, long term) {
    changedNodes.add(node);
    latestLeaderships.merge(
        range, new Leadership(node, term), (old, now) -> now.term >= old.term ? now : old);
  }

  void onCrashed(NodeId node) {
    latestLeaderships.replaceAll(
        (range, lead) -> node.equals(lead.node) ? new Leadership(null, lead.term) : lead);
  }

  @Nullable NodeId lastLeader(RangeId range) {
    Leadership lead = latestLeaderships.get(range);
    return lead == null ? null : lead.node;
  }

  Set<NodeId> takeChanged() {
    Set<NodeId> taken = Set.copyOf(changedNodes);
    changedNodes.clear();
    return taken;
  }

  private final class WatchedCoprocessor implements Coprocessor {
    private final NodeId node;
    private final Coprocessor coprocessor;

    WatchedCoprocessor(NodeId node, Coprocessor coprocessor) {
      this.node = node;
      this.coprocessor = coprocessor;
    }

    @Override
    public void onAbsorbed(List<Long> parts) {
      coprocessor.onAbsorbed(parts);
    }

    @Override
    public void open(KeyInterval interval, KvReader state) {
      changedNodes.add(node);
      coprocessor.open(interval, state);
    }

    @Override
    public void onNarrowed(KeyInterval interval, KvReader state) {
      changedNodes.add(node);
      coprocessor.onNarrowed(interval, state);
    }

    @Override
    public byte[] apply(ByteBuffer command, ApplyContext context) {
      changedNodes.add(node);
      return coprocessor.apply(command, context);
    }

    @Override
    public void onApplied(long index) {
      coprocessor.onApplied(index);
    }

    @Override
    public byte[] query(ByteBuffer query, KvReader state) {
      return coprocessor.query(query, state);
    }

    @Override
    public void close() {
      changedNodes.add(node);
      coprocessor.close();
    }
  }
}
