package io.fjordmq.broker.delivery;

import io.fjordmq.api.Will;
import io.fjordmq.inbox.PublishId;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes wills (MQTT 5.0 §3.1.2.5). A transient session ends with its connection, and a will is
 * published when the session ends if its delay has not run out before (MQTT-3.1.3-9): so at once.
 * The wills of persistent sessions are kept, with their delay, by the inbox store. Thread-safe.
 */
public final class WillService {
  private static final Logger LOG = LoggerFactory.getLogger(WillService.class);

  private final Publisher publisher;
  private final InstantSource clock;

  public WillService(Publisher publisher, InstantSource clock) {
    this.publisher = publisher;
    this.clock = clock;
  }

  /**
   * Publishes the will of a transient session whose connection has ended badly. Nobody waits for
   * the outcome, so it is only logged if it is bad.
   */
  public void publish(String tenant, Will will) {
    publish(
        tenant,
        will,
        null,
        outcome -> {
          if (outcome.compareTo(PublishOutcome.QUOTA_EXCEEDED) >= 0) {
            LOG.warn(
                "the will of client {} to {} did not reach everybody: {}",
                will.message().publisher(),
                will.message().topic(),
                outcome);
          }
        });
  }

  /** Publishes a will now; its lifetime begins now. */
  void publish(String tenant, Will will, @Nullable PublishId id, PublishListener listener) {
    publisher.publish(tenant, will.messageAt(clock.millis()), id, listener);
    publisher.flush();
  }
}
