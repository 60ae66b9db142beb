package io.fjordmq.range.store;

import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.kv.Kv;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens and closes what entries have brought about or made an end of, once no crash undoes it. */
final class DurableActions implements ReplicaParts.Births {
  private static final Logger LOG = LoggerFactory.getLogger(DurableActions.class);

  private final Kv kv;
  private final ReplicaMoves moves;
  private final RangeStoreSettings settings;
  private final RangeRuntime runtime;
  private final BooleanSupplier closed;

  DurableActions(
      Kv kv,
      ReplicaMoves moves,
      RangeStoreSettings settings,
      RangeRuntime runtime,
      BooleanSupplier closed) {
    this.kv = kv;
    this.moves = moves;
    this.settings = settings;
    this.runtime = runtime;
    this.closed = closed;
  }

  /** What it confirms to others it must not forget. */
  @Override
  public void born(RangeDescriptor range, boolean lead) {
    onceDurable("range " + range.id() + " is not open yet", () -> moves.adopt(range.id(), lead));
  }

  /** Its log is needed as long as a crash may bring it back. */
  @Override
  public void absorbed(RangeId range) {
    onceDurable("range " + range + " still has a log", () -> moves.absorbed(range));
  }

  private void onceDurable(String otherwise, Supplier<CompletableFuture<Void>> task) {
    kv.flush()
        .thenCompose(durable -> task.get())
        .whenComplete(
            (done, failure) -> {
              if (failure != null && !closed.getAsBoolean()) {
                LOG.warn("{}; retrying", otherwise, failure);
                runtime
                    .timers()
                    .schedule(
                        settings.reopenBackoff().toMillis(), () -> onceDurable(otherwise, task));
              }
            });
  }
}
