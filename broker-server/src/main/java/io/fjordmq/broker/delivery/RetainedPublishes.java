package io.fjordmq.broker.delivery;

import io.fjordmq.api.Message;
import io.fjordmq.broker.dispatch.StoreCalls;
import io.fjordmq.broker.limits.RateLimitedLog;
import io.fjordmq.inbox.ConnectOrder;
import io.fjordmq.range.RangeException;
import io.fjordmq.retain.RetainStore;
import io.fjordmq.retain.RetainVersion;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores and clears retained messages as they are published. If several publishes for a topic
 * overlap, the one from the publisher's latest connection wins (decision 0031). New subscriptions
 * wait for those in flight (decision 0111). Thread-safe; does not block.
 */
final class RetainedPublishes {
  private static final Logger LOG = LoggerFactory.getLogger(RetainedPublishes.class);

  private final RetainStore store;
  private final RetainedInFlight inFlight;
  private final RateLimitedLog failures = new RateLimitedLog();

  RetainedPublishes(RetainStore store, RetainedInFlight inFlight) {
    this.store = store;
    this.inFlight = inFlight;
  }

  /** Begins a retained publish. Must be called before its message is matched. */
  InFlight begin() {
    return new InFlight(inFlight.begin());
  }

  /**
   * A retained publish, which is in flight until the store has responded. If the message is not
   * passed to the store, it ends with {@link #close}.
   */
  final class InFlight implements AutoCloseable {
    private final RetainedInFlight.Epoch epoch;
    private boolean storing;

    private InFlight(RetainedInFlight.Epoch epoch) {
      this.epoch = epoch;
    }

    /**
     * Stores the message.
     *
     * @param onOutcome called once, when the message is stored or refused
     */
    void store(
        String tenant,
        Message message,
        ConnectOrder connectOrder,
        Consumer<PublishOutcome> onOutcome) {
      storing = true;
      RetainedPublishes.this.store(
          tenant,
          message,
          connectOrder,
          outcome -> {
            inFlight.end(epoch);
            onOutcome.accept(outcome);
          });
    }

    @Override
    public void close() {
      if (!storing) {
        inFlight.end(epoch);
      }
    }
  }

  private void store(
      String tenant,
      Message message,
      ConnectOrder connectOrder,
      Consumer<PublishOutcome> onOutcome) {
    RetainVersion retainVersion =
        new RetainVersion(connectOrder.epochVersion(), connectOrder.index());
    StoreCalls.tryCall(() -> store.put(tenant, message, retainVersion))
        .whenComplete(
            (outcome, fault) -> {
              if (fault != null) {
                @Nullable String suppressed = failures.permit();
                if (suppressed != null) {
                  LOG.warn(
                      "Failed to store a retained message; the publish will not be acknowledged:"
                          + " {}{} topic={}",
                      fault.toString(),
                      suppressed,
                      message.topic(),
                      fault instanceof RangeException ? null : fault);
                }
                onOutcome.accept(PublishOutcome.NOT_DURABLE);
              } else {
                onOutcome.accept(outcomeOf(outcome));
              }
            });
  }

  private static PublishOutcome outcomeOf(RetainStore.PutOutcome outcome) {
    return switch (outcome) {
      // A superseded message is equivalent to one that was stored and immediately replaced.
      case RETAINED, CLEARED, SUPERSEDED -> PublishOutcome.ACCEPTED;
      case REFUSED_FULL, REFUSED_BYTES -> PublishOutcome.QUOTA_EXCEEDED;
    };
  }
}
