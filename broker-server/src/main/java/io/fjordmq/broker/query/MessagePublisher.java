package io.fjordmq.broker.query;

import io.fjordmq.api.Message;
import io.fjordmq.broker.delivery.PublishListener;
import io.fjordmq.broker.delivery.PublishOutcome;
import io.fjordmq.broker.delivery.PublishRouter;
import io.fjordmq.broker.delivery.TracedPublish;
import io.fjordmq.broker.query.QueryException.Kind;
import io.fjordmq.broker.telemetry.MessageTracer;
import io.fjordmq.inbox.ConnectOrder;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** Publishes messages for operators. Thread-safe; does not block. */
public final class MessagePublisher {
  /** The outcome of a publish. */
  public enum Outcome {
    /** The message is durable where it is stored, and has been handed to connected subscribers. */
    ACCEPTED,
    /** There are no matching subscribers. */
    NO_MATCHING_SUBSCRIBERS,
    /** A limit of retained messages or of an inbox refuses the message. */
    QUOTA_EXCEEDED,
    /** The message must be stored, but disk space is low. */
    LOW_DISK_SPACE,
    /** The stream to a node with subscribers is full. */
    NODE_CONGESTED,
    /** This node has no valid lease. */
    NOT_SERVING,
    /** The message may not be durable everywhere. */
    NOT_DURABLE;

    static Outcome of(PublishOutcome outcome) {
      return switch (outcome) {
        case ACCEPTED -> ACCEPTED;
        case NO_MATCHING_SUBSCRIBERS -> NO_MATCHING_SUBSCRIBERS;
        case QUOTA_EXCEEDED -> QUOTA_EXCEEDED;
        case LOW_DISK_SPACE -> LOW_DISK_SPACE;
        case NODE_CONGESTED -> NODE_CONGESTED;
        case NOT_SERVING -> NOT_SERVING;
        case NOT_DURABLE -> NOT_DURABLE;
      };
    }
  }

  private final PublishRouter router;
  private final BooleanSupplier overloaded;
  private final ToIntFunction<String> maxPayloadBytes;
  private final InstantSource clock;
  private final @Nullable MessageTracer tracer;

  /**
   * @param overloaded whether this node is overloaded
   * @param maxPayloadBytes the maximum payload of a tenant in bytes; 0 for none
   * @param tracer begins the spans of traced messages; null if there are none
   */
  MessagePublisher(
      PublishRouter router,
      BooleanSupplier overloaded,
      ToIntFunction<String> maxPayloadBytes,
      InstantSource clock,
      @Nullable MessageTracer tracer) {
    this.router = router;
    this.overloaded = overloaded;
    this.maxPayloadBytes = maxPayloadBytes;
    this.clock = clock;
    this.tracer = tracer;
  }

  /** Returns the time for {@link Message#acceptedAtMillis}. */
  public long nowMillis() {
    return clock.millis();
  }

  /**
   * Publishes messages in order. Each outcome is known when a PUBACK could be sent: the message is
   * durable wherever it is stored.
   *
   * @throws QueryException if the node is overloaded or a payload is too large; nothing has been
   *     published then
   */
  public CompletableFuture<List<Outcome>> publish(String tenant, List<Message> messages) {
    if (overloaded.getAsBoolean()) {
      throw new QueryException(Kind.UNAVAILABLE, "this node is overloaded; retry later");
    }
    int max = maxPayloadBytes.applyAsInt(tenant);
    for (Message message : messages) {
      if (max > 0 && message.payload().length > max) {
        throw new QueryException(
            Kind.INVALID,
            "payload: %d bytes exceed sessionConfig.maxPayloadBytes (%d)"
                .formatted(message.payload().length, max));
      }
    }
    List<CompletableFuture<PublishOutcome>> outcomes = new ArrayList<>(messages.size());
    for (Message message : messages) {
      CompletableFuture<PublishOutcome> outcome = new CompletableFuture<>();
      PublishListener listener =
          TracedPublish.of(tracer, MessageTracer.Origin.API, tenant, message, outcome::complete);
      router.publish(tenant, message, ConnectOrder.NONE, null, listener);
      outcomes.add(outcome);
    }
    router.flush();
    return CompletableFuture.allOf(outcomes.toArray(CompletableFuture<?>[]::new))
        .orTimeout(QueryNodes.ACT_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
        .thenApply(
            done -> outcomes.stream().map(CompletableFuture::join).map(Outcome::of).toList());
  }
}
