package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.ClusterLevel;
import io.fjordmq.cluster.SupportedLevels;
import io.fjordmq.cluster.metadata.LevelRecord;
import io.fjordmq.cluster.metadata.MetadataListener;
import io.fjordmq.cluster.metadata.MetadataUpdate;
import io.fjordmq.cluster.metadata.MetadataView;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The cluster level according to this node's metadata. */
final class LevelView implements ClusterLevel, MetadataListener {
  private static final Logger LOG = LoggerFactory.getLogger(LevelView.class);

  private final SupportedLevels supported;
  private final Runnable onRaised;
  private final Consumer<String> onUnsupported;
  private volatile int level;

  /**
   * @param before the level in the metadata when the node started
   * @param onRaised called when the level has risen; makes it durable outside the log, where the
   *     next start finds it before it needs other nodes
   * @param onUnsupported called with the reason if this node does not support the level. Cannot
   *     happen unless the leader has a bug; a node must not go on then
   */
  LevelView(
      SupportedLevels supported, int before, Runnable onRaised, Consumer<String> onUnsupported) {
    this.supported = supported;
    this.level = before;
    this.onRaised = onRaised;
    this.onUnsupported = onUnsupported;
  }

  @Override
  public void onChanged(MetadataView view, List<MetadataUpdate> updates) {
    if (updates.stream().noneMatch(update -> update.key().equals(LevelRecord.KEY))) {
      return;
    }
    int next = LevelRecord.of(view).level();
    String refusal = LevelPlan.refusal(supported, next);
    if (refusal != null) {
      onUnsupported.accept(refusal);
    } else if (next > level) {
      LOG.info("The cluster level was raised level={} before={}", next, level);
      level = next;
      onRaised.run();
    }
  }

  @Override
  public int current() {
    return level;
  }

  @Override
  public SupportedLevels supported() {
    return supported;
  }
}
