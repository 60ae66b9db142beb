package io.fjordmq.range.store;

import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.kv.Kv;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens or closes the replicas that an entry has created or removed, once the change is durable.
 */
final class DurableActions implements ReplicaDependencies.RangeLifecycleListener {
  private static final Logger LOG = LoggerFactory.getLogger(DurableActions.class);

  private final Kv kv;
  private final LocalReplicas replicas;
  private final RangeStoreSettings settings;
  private final RangeRuntime runtime;
  private final BooleanSupplier closed;

  DurableActions(
      Kv kv,
      LocalReplicas replicas,
      RangeStoreSettings settings,
      RangeRuntime runtime,
      BooleanSupplier closed) {
    this.kv = kv;
    this.replicas = replicas;
    this.settings = settings;
    this.runtime = runtime;
    this.closed = closed;
  }

  /**
   * Opens the replica only once it is durable, because it must not lose entries that it has
   * acknowledged to others.
   */
  @Override
  public void onRangeCreated(RangeDescriptor range, boolean lead) {
    onceDurable("Failed to open a split range", range.id(), () -> replicas.adopt(range.id(), lead));
  }

  /**
   * Removes the range's log only once the merge is durable; until then a crash may bring the range
   * back.
   */
  @Override
  public void onRangeAbsorbed(RangeId range) {
    onceDurable(
        "Failed to remove the log of a merged range", range, () -> replicas.onAbsorbed(range));
  }

  private void onceDurable(String warning, RangeId range, Supplier<CompletableFuture<Void>> task) {
    kv.flush()
        .thenCompose(durable -> task.get())
        .whenComplete(
            (done, failure) -> {
              if (failure != null && !closed.getAsBoolean()) {
                LOG.warn("{}; retrying range={}", warning, range, failure);
                runtime
                    .timers()
                    .schedule(
                        settings.reopenBackoff().toMillis(),
                        () -> onceDurable(warning, range, task));
              }
            });
  }
}
