package io.fjordmq.broker.session;

import io.fjordmq.api.Qos;
import io.fjordmq.api.RetainHandling;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.api.plugin.Action;
import io.fjordmq.broker.delivery.LiveSession;
import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.security.Ruling;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxSubscription;
import io.netty.handler.codec.mqtt.MqttSubscribeMessage;
import io.netty.handler.codec.mqtt.MqttTopicSubscription;
import io.netty.handler.codec.mqtt.MqttUnsubscribeMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * SUBSCRIBE and UNSUBSCRIBE. The packets of a client take turns ({@link SubscribeTurns}); the
 * filters of one packet are worked off together, and answered once.
 *
 * <p>The SUBACK is written when every filter works on every node. For a persistent session the
 * order is inbox row, route, live subscription (with QoS 0 live, then route), so that a route never
 * leads to a subscription that a crash forgot; and the reverse when unsubscribing. Retained
 * messages follow the SUBACK: there may be more of them than the client takes soon.
 */
final class Subscriptions {
  private static final Logger log = LoggerFactory.getLogger(Subscriptions.class);

  private static final int UNSPECIFIED_ERROR = 0x80;
  private static final int IMPLEMENTATION_SPECIFIC_ERROR = 0x83;
  private static final int NOT_AUTHORIZED = 0x87;
  private static final int TOPIC_FILTER_INVALID = 0x8F;
  private static final int QUOTA_EXCEEDED = 0x97;
  private static final int NO_SUBSCRIPTION_EXISTED = 0x11;

  /** What became of one filter: a reason code, and whether the subscription is new. */
  private record Result(int code, boolean isNew) {}

  private static final Result FAILED = new Result(UNSPECIFIED_ERROR, false);

  private static final Result DENIED = new Result(NOT_AUTHORIZED, false);

  /** One filter of a SUBSCRIBE; without a filter it is refused with the code. */
  private record Wish(@Nullable TopicFilter filter, SubscriptionOptions options, int refusal) {}

  private final Connection connection;
  private final LiveSession session;
  private final @Nullable InboxHandle handle;
  private final RetainedReplay replay;
  private final TopicLimits limits;
  private final SubscribeTurns turns;
  private final SubscriptionCount held;

  Subscriptions(
      Connection connection,
      LiveSession session,
      @Nullable Attachment attachment,
      RetainedReplay replay) {
    this.connection = connection;
    this.session = session;
    this.handle = attachment == null ? null : attachment.handle();
    this.held = new SubscriptionCount(connection.settings(), connection.observer(), attachment);
    this.replay = replay;
    this.limits = new TopicLimits(connection.settings());
    this.turns = new SubscribeTurns(connection);
  }

  /**
   * A SUBSCRIBE came in.
   *
   * @throws ProtocolViolation if it breaks the protocol
   */
  void onSubscribe(MqttSubscribeMessage packet) {
    List<MqttTopicSubscription> asked = packet.payload().topicSubscriptions();
    if (asked.isEmpty()) {
      throw new ProtocolViolation(CloseReason.PROTOCOL_ERROR, "SUBSCRIBE without a filter");
    }
    requireAnswerable(asked.size());
    List<Wish> wishes = new ArrayList<>(asked.size());
    for (MqttTopicSubscription one : asked) {
      wishes.add(wish(one.topicName(), connection.dialect().options(packet, one)));
    }
    int identifier = packet.variableHeader().messageId();
    turns.take(() -> subscribe(identifier, wishes));
  }

  private Wish wish(String text, SubscriptionOptions options) {
    TopicFilter filter = parse(text);
    if (filter == null) {
      return new Wish(null, options, TOPIC_FILTER_INVALID);
    }
    if (filter.isShared() && options.noLocal()) {
      // MQTT 5.0 §3.8.3.1
      throw new ProtocolViolation(CloseReason.PROTOCOL_ERROR, "no local on a shared subscription");
    }
    return new Wish(filter, options, 0);
  }

  private @Nullable TopicFilter parse(String text) {
    try {
      Limit reached = limits.reachedBy(text);
      if (reached != null) {
        connection.reached(reached);
        return null;
      }
      return TopicFilter.parse(text);
    } catch (IllegalArgumentException e) {
      log.debug(
          "Client {} subscribes to an invalid filter: {}", connection.clientId(), e.getMessage());
      return null;
    }
  }

  /** An UNSUBSCRIBE came in. */
  void onUnsubscribe(MqttUnsubscribeMessage packet) {
    List<String> filters = packet.payload().topics();
    if (filters.isEmpty()) {
      throw new ProtocolViolation(CloseReason.PROTOCOL_ERROR, "UNSUBSCRIBE without a filter");
    }
    requireAnswerable(filters.size());
    int identifier = packet.variableHeader().messageId();
    turns.take(() -> unsubscribe(identifier, filters));
  }

  /** An answer that the client does not take must not be sent (MQTT-3.1.2-24). */
  private void requireAnswerable(int filters) {
    if (PublishEncoder.packetBytes(3 + filters) > connection.dialect().maxPacketBytes()) {
      throw new ProtocolViolation(
          CloseReason.PACKET_TOO_LARGE,
          "the answer for " + filters + " filters is larger than the client takes");
    }
  }

  private void subscribe(int packetIdentifier, List<Wish> wishes) {
    // The same filter twice in one packet counts as two packets (MQTT 5.0 §3.8.4): one by one.
    Map<String, CompletableFuture<Result>> earlier = new HashMap<>();
    List<CompletableFuture<Result>> results = new ArrayList<>(wishes.size());
    int refusal = refusalOfAll();
    for (Wish wish : wishes) {
      TopicFilter filter = wish.filter;
      Limit full = filter == null ? null : fullFor(filter);
      if (filter == null) {
        results.add(refused(wish.refusal));
      } else if (refusal != 0) {
        results.add(refused(refusal));
      } else if (full != null) {
        connection.reached(full);
        results.add(refused(QUOTA_EXCEEDED));
      } else {
        held.add(filter.text());
        CompletableFuture<Result> before = earlier.get(filter.text());
        Action.Subscribe wanted = new Action.Subscribe(filter, wish.options.maxQos());
        CompletableFuture<Ruling> ruling = connection.access().subscribe(wanted);
        CompletableFuture<Result> result =
            before == null
                ? addIf(ruling, filter, wish.options)
                : before.thenCompose(done -> addIf(ruling, filter, wish.options));
        earlier.put(filter.text(), result);
        results.add(result);
      }
    }
    whenAll(results, codes -> subscribed(packetIdentifier, wishes, codes));
  }

  /** Replacing one that is there needs no room. */
  private @Nullable Limit fullFor(TopicFilter filter) {
    Limit full = held.reachedBy(filter.text());
    return full != null && connection.services().live().isSubscribed(session, filter) ? null : full;
  }

  /**
   * The reason code if nothing is taken now, else 0. Even a filter that is there already costs a
   * write and brings retained messages.
   */
  private int refusalOfAll() {
    if (connection.services().serving().refusedBecause() != null) {
      connection.observer().refusedAsNotServing(RefusedWork.SUBSCRIBE);
      return IMPLEMENTATION_SPECIFIC_ERROR;
    }
    if (connection.services().overload().isOverloaded()) {
      connection.observer().refusedAsOverloaded(RefusedWork.SUBSCRIBE);
      return QUOTA_EXCEEDED;
    }
    return 0;
  }

  private static CompletableFuture<Result> refused(int code) {
    return CompletableFuture.completedFuture(new Result(code, true));
  }

  private CompletableFuture<Result> addIf(
      CompletableFuture<Ruling> asked, TopicFilter filter, SubscriptionOptions options) {
    return asked.thenCompose(
        ruling ->
            ruling.allowed() ? add(filter, options) : CompletableFuture.completedFuture(DENIED));
  }

  private CompletableFuture<Result> add(TopicFilter filter, SubscriptionOptions options) {
    int granted = options.maxQos().level();
    SessionServices services = connection.services();
    if (handle == null) {
      return orFailed(
          () -> subscribeLive(filter, options).thenApply(isNew -> new Result(granted, isNew)));
    }
    InboxSubscription row = new InboxSubscription(filter, options);
    return orFailed(
        () ->
            services
                .inboxes()
                .subscribe(handle, filter, options)
                .thenCompose(
                    wasThere ->
                        route(handle, row).thenApply(done -> new Result(granted, !wasThere))));
  }

  /**
   * Through its inbox and live. The way that messages are to take from now on is made first: while
   * a subscription is replaced they may come twice, but none is lost (MQTT-3.8.4-4).
   */
  private CompletableFuture<?> route(InboxHandle inbox, InboxSubscription row) {
    Supplier<CompletableFuture<Void>> stored =
        () -> connection.services().routes().add(inbox.id(), inbox.incarnation(), row);
    return row.options().maxQos() == Qos.AT_MOST_ONCE
        ? subscribeLive(row.filter(), row.options()).thenCompose(done -> stored.get())
        : stored.get().thenCompose(done -> subscribeLive(row.filter(), row.options()));
  }

  /** On the event loop; after the end it would replace the subscriptions of the next session. */
  private CompletableFuture<Boolean> subscribeLive(
      TopicFilter filter, SubscriptionOptions options) {
    if (!connection.loop().inEventLoop()) {
      return CompletableFuture.supplyAsync(() -> subscribeLive(filter, options), connection.loop())
          .thenCompose(subscribed -> subscribed);
    }
    return connection.isEnded()
        ? CompletableFuture.completedFuture(false)
        : connection.services().live().subscribe(session, filter, options);
  }

  private CompletableFuture<Result> orFailed(Supplier<CompletableFuture<Result>> call) {
    return call.get()
        .exceptionally(
            error -> {
              if (StoreFailure.isFenced(error)) {
                connection
                    .loop()
                    .execute(() -> StoreFailure.end(connection, error, "changing subscriptions"));
              } else {
                log.warn(
                    "A subscription of client {} of tenant {} could not be changed: {}",
                    connection.clientId(),
                    connection.tenant(),
                    error.toString());
              }
              return FAILED;
            });
  }

  private interface Answer {
    void write(List<Result> results);
  }

  private void whenAll(List<CompletableFuture<Result>> results, Answer answer) {
    CompletableFuture<Void> all =
        CompletableFuture.allOf(results.toArray(CompletableFuture<?>[]::new));
    connection.whenDone(
        all,
        (done, error) -> {
          if (connection.isEnded()) {
            // What was added after the end removed everything goes too.
            connection.services().live().removeAll(session);
            return;
          }
          List<Result> codes = results.stream().map(future -> future.getNow(FAILED)).toList();
          answer.write(codes);
          if (connection.isEnded()) {
            return; // it could not be told in another way
          }
          held.report();
          connection.writer().flush();
          turns.next();
        });
  }

  private void subscribed(int packetIdentifier, List<Wish> wishes, List<Result> results) {
    int[] codes = new int[results.size()];
    for (int i = 0; i < codes.length; i++) {
      Result result = results.get(i);
      TopicFilter asked = wishes.get(i).filter;
      boolean granted = result.code < UNSPECIFIED_ERROR;
      codes[i] =
          granted
              ? result.code
              : connection
                  .dialect()
                  .refusedSubscription(result.code, wishes.get(i).options.maxQos());
      if (asked != null && !result.isNew) {
        held.remove(asked.text());
      }
      if (codes[i] == Dialect.CANNOT_BE_TOLD) {
        connection.fail(CloseReason.ofSubAck(result.code), "a subscription failed");
        return;
      }
    }
    connection.writer().message(SubscriptionReplies.subAck(packetIdentifier, codes));
    for (int i = 0; i < codes.length; i++) {
      TopicFilter filter = wishes.get(i).filter;
      if (filter != null && results.get(i).code < UNSPECIFIED_ERROR) {
        SubscriptionOptions options = wishes.get(i).options;
        connection.events().subscribed(connection.access().client(), filter, options.maxQos());
        replayRetained(filter, wishes.get(i).options, results.get(i).isNew);
      }
    }
  }

  private void replayRetained(TopicFilter filter, SubscriptionOptions options, boolean isNew) {
    boolean wanted =
        options.retainHandling() == RetainHandling.SEND_ALWAYS
            || (options.retainHandling() == RetainHandling.SEND_IF_NEW && isNew);
    if (filter.isShared()) {
      return;
    }
    if (wanted) {
      replay.begin(filter, options);
    } else {
      // "Messages MUST NOT be lost due to replacing the Subscription" (MQTT-3.8.4-4).
      replay.change(filter, options);
    }
  }

  private void unsubscribe(int packetIdentifier, List<String> filters) {
    List<CompletableFuture<Result>> results = new ArrayList<>(filters.size());
    for (String text : filters) {
      TopicFilter filter = parse(text);
      results.add(filter == null ? refused(TOPIC_FILTER_INVALID) : remove(filter));
    }
    whenAll(results, codes -> unsubscribed(packetIdentifier, filters, codes));
  }

  private CompletableFuture<Result> remove(TopicFilter filter) {
    SessionServices services = connection.services();
    if (handle == null) {
      return orFailed(
          () -> services.live().unsubscribe(session, filter).thenApply(Subscriptions::removed));
    }
    return orFailed(
        () ->
            services
                .routes()
                .remove(handle.id(), handle.incarnation(), filter)
                .thenCompose(done -> services.live().unsubscribe(session, filter))
                .thenCompose(done -> services.inboxes().unsubscribe(handle, filter))
                .thenApply(Subscriptions::removed));
  }

  private static Result removed(boolean wasThere) {
    return new Result(wasThere ? 0 : NO_SUBSCRIPTION_EXISTED, !wasThere);
  }

  private void unsubscribed(int packetIdentifier, List<String> filters, List<Result> results) {
    short[] codes = new short[results.size()];
    for (int i = 0; i < codes.length; i++) {
      codes[i] = (short) results.get(i).code;
      if (codes[i] == 0) {
        held.remove(filters.get(i));
        connection.events().unsubscribed(connection.access().client(), filters.get(i));
      }
      if (results.get(i).code < UNSPECIFIED_ERROR) {
        replay.forget(filters.get(i));
      }
      if (codes[i] == UNSPECIFIED_ERROR && !connection.dialect().tellsOutcome()) {
        // A plain UNSUBACK would say that it worked (MQTT 3.1.1: MQTT-4.8.0-2).
        connection.fail(CloseReason.SERVER_UNAVAILABLE, "an UNSUBSCRIBE failed");
        return;
      }
    }
    connection.writer().message(SubscriptionReplies.unsubAck(packetIdentifier, codes));
  }

  /** The connection has ended: what waits for its turn is forgotten, as it was not answered. */
  void end() {
    turns.end();
    held.end();
    replay.end();
  }
}
