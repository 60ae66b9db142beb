package io.fjordmq.range.store;

import io.fjordmq.range.EffectListener;
import io.fjordmq.range.RangeId;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listeners of a replica's writes. The writes are already done, so a bug in a listener loses
 * its notification but does not halt the replica.
 */
final class ReplicaListeners {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaListeners.class);

  private final RangeId id;
  private final EffectListener effects;

  ReplicaListeners(RangeId id, EffectListener effects) {
    this.id = id;
    this.effects = effects;
  }

  void onApplied(ApplyLoop.Outcome outcome) {
    try {
      outcome.pending().complete(outcome.result());
    } catch (RuntimeException e) {
      LOG.error("Batch listener threw; please report this bug range={}", id, e);
    }
  }

  void perform(List<Object> emitted) {
    try {
      effects.onEffects(id, emitted);
    } catch (RuntimeException e) {
      LOG.error(
          "Failed to perform the effects of commands; please report this bug range={} count={}",
          id,
          emitted.size(),
          e);
    }
  }

  void onLeaderStart() {
    try {
      effects.onLeaderStart(id);
    } catch (RuntimeException e) {
      LOG.error("Leadership listener threw; please report this bug range={}", id, e);
    }
  }
}
