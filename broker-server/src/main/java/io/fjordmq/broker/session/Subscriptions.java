package io.fjordmq.broker.session;

import io.fjordmq.api.Qos;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.api.plugin.Action;
import io.fjordmq.broker.delivery.LiveSession;
import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.security.AccessDecision;
import io.fjordmq.broker.session.FilterReader.RequestedFilter;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxSubscription;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttSubscribeMessage;
import io.netty.handler.codec.mqtt.MqttTopicSubscription;
import io.netty.handler.codec.mqtt.MqttUnsubscribeMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * SUBSCRIBE and UNSUBSCRIBE. The packets of a client take turns ({@link SubscribeQueue}); the
 * filters of one packet are handled together in slices ({@link SlicedLoop}), and answered once.
 *
 * <p>The SUBACK is written when every filter works on every node. For a persistent session the
 * order is inbox row, route, live subscription (with QoS 0 live, then route), so that a route never
 * leads to a subscription that a crash forgot; and the reverse when unsubscribing. Retained
 * messages follow the SUBACK: there may be more of them than the client takes soon.
 */
final class Subscriptions {
  private static final Logger LOG = LoggerFactory.getLogger(Subscriptions.class);

  private static final int UNSPECIFIED_ERROR = 0x80;
  private static final int IMPLEMENTATION_SPECIFIC_ERROR = 0x83;
  private static final int NOT_AUTHORIZED = 0x87;
  private static final int QUOTA_EXCEEDED = 0x97;
  private static final int NO_SUBSCRIPTION_EXISTED = 0x11;

  /** What became of one filter: a reason code, and whether the subscription is new. */
  private record Result(int code, boolean isNew) {}

  private static final Result FAILED = new Result(UNSPECIFIED_ERROR, false);

  private static final Result DENIED = new Result(NOT_AUTHORIZED, false);

  /** One filter of an UNSUBSCRIBE; without a filter it is refused. */
  private record RequestedRemoval(String text, @Nullable TopicFilter filter) {}

  private final Connection connection;
  private final LiveSession session;
  private final @Nullable InboxHandle handle;
  private final RetainedReplay replay;
  private final FilterReader filters;
  private final SubscribeQueue turns;
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
    this.filters = new FilterReader(connection);
    this.turns = new SubscribeQueue(connection);
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
    int identifier = packet.variableHeader().messageId();
    List<RequestedFilter> wishes = new ArrayList<>(asked.size());
    SlicedLoop.run(
        connection,
        asked.size(),
        i -> wishes.add(wish(packet, asked.get(i))),
        () -> turns.take(() -> subscribe(identifier, wishes)));
  }

  private RequestedFilter wish(MqttSubscribeMessage packet, MqttTopicSubscription one) {
    return filters.wish(one.topicName(), connection.dialect().options(packet, one));
  }

  /**
   * An UNSUBSCRIBE came in.
   *
   * @throws ProtocolViolation if it breaks the protocol
   */
  void onUnsubscribe(MqttUnsubscribeMessage packet) {
    List<String> texts = packet.payload().topics();
    if (texts.isEmpty()) {
      throw new ProtocolViolation(CloseReason.PROTOCOL_ERROR, "UNSUBSCRIBE without a filter");
    }
    requireAnswerable(texts.size());
    int identifier = packet.variableHeader().messageId();
    List<RequestedRemoval> unwanted = new ArrayList<>(texts.size());
    SlicedLoop.run(
        connection,
        texts.size(),
        i -> unwanted.add(new RequestedRemoval(texts.get(i), filters.read(texts.get(i)))),
        () -> turns.take(() -> unsubscribe(identifier, unwanted)));
  }

  /** An answer that the client does not take must not be sent (MQTT-3.1.2-24). */
  private void requireAnswerable(int filters) {
    if (PublishEncoder.packetBytes(3 + filters) > connection.dialect().maxPacketBytes()) {
      throw new ProtocolViolation(
          CloseReason.PACKET_TOO_LARGE,
          "the answer for " + filters + " filters is larger than the client takes");
    }
  }

  private void subscribe(int packetIdentifier, List<RequestedFilter> wishes) {
    // The same filter twice in one packet counts as two packets (MQTT 5.0 §3.8.4): one by one.
    Map<String, CompletableFuture<Result>> earlier = new HashMap<>();
    List<CompletableFuture<Result>> results = new ArrayList<>(wishes.size());
    int refusal = refusalOfAll();
    SlicedLoop.run(
        connection,
        wishes.size(),
        i -> results.add(subscribe(wishes.get(i), refusal, earlier)),
        () -> whenAll(results, codes -> subscribed(packetIdentifier, wishes, codes)));
  }

  private CompletableFuture<Result> subscribe(
      RequestedFilter requestedFilter,
      int refusal,
      Map<String, CompletableFuture<Result>> earlier) {
    TopicFilter filter = requestedFilter.filter();
    if (filter == null) {
      return refused(requestedFilter.refusal());
    }
    if (refusal != 0) {
      return refused(refusal);
    }
    Limit full = fullFor(filter);
    if (full != null) {
      connection.reached(full);
      return refused(QUOTA_EXCEEDED);
    }
    held.add(filter.text());
    CompletableFuture<Result> before = earlier.get(filter.text());
    Action.Subscribe wanted = new Action.Subscribe(filter, requestedFilter.options().maxQos());
    CompletableFuture<AccessDecision> ruling = connection.access().subscribe(wanted);
    CompletableFuture<Result> result =
        before == null
            ? addIf(ruling, filter, requestedFilter.options())
            : before.thenCompose(done -> addIf(ruling, filter, requestedFilter.options()));
    earlier.put(filter.text(), result);
    return result;
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
    if (connection.services().servingState().refusedBecause() != null) {
      connection.observer().refusedAsNotServing(RejectedWork.SUBSCRIBE);
      return IMPLEMENTATION_SPECIFIC_ERROR;
    }
    if (connection.services().overload().isOverloaded()) {
      connection.observer().refusedAsOverloaded(RejectedWork.SUBSCRIBE);
      return QUOTA_EXCEEDED;
    }
    return 0;
  }

  private static CompletableFuture<Result> refused(int code) {
    return CompletableFuture.completedFuture(new Result(code, true));
  }

  private CompletableFuture<Result> addIf(
      CompletableFuture<AccessDecision> asked, TopicFilter filter, SubscriptionOptions options) {
    return asked.thenCompose(
        accessDecision ->
            accessDecision.allowed()
                ? add(filter, options)
                : CompletableFuture.completedFuture(DENIED));
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
                LOG.warn(
                    "Failed to change a subscription: {} client={} tenant={}",
                    error.toString(),
                    connection.clientId(),
                    connection.tenant());
              }
              return FAILED;
            });
  }

  private void whenAll(List<CompletableFuture<Result>> results, Consumer<List<Result>> answer) {
    CompletableFuture<?>[] open =
        results.stream().filter(one -> !one.isDone()).toArray(CompletableFuture<?>[]::new);
    connection.whenDone(
        CompletableFuture.allOf(open),
        (done, error) -> {
          if (connection.isEnded()) {
            // What was added after the end removed everything goes too.
            connection.services().live().removeAll(session);
          } else {
            answer.accept(results.stream().map(future -> future.getNow(FAILED)).toList());
          }
        });
  }

  /** Writes the answer, then does the rest for each filter; the turn ends with that. */
  private void answer(MqttMessage answer, int filters, IntConsumer rest) {
    connection.writer().message(answer);
    held.report();
    connection.writer().flush();
    SlicedLoop.run(
        connection,
        filters,
        rest,
        () -> {
          if (!connection.isEnded()) {
            connection.writer().flush();
            turns.next();
          }
        });
  }

  private void subscribed(
      int packetIdentifier, List<RequestedFilter> wishes, List<Result> results) {
    int[] codes = new int[results.size()];
    for (int i = 0; i < codes.length; i++) {
      Result result = results.get(i);
      RequestedFilter requestedFilter = wishes.get(i);
      boolean granted = result.code < UNSPECIFIED_ERROR;
      codes[i] =
          granted
              ? result.code
              : connection
                  .dialect()
                  .refusedSubscription(result.code, requestedFilter.options().maxQos());
      if (requestedFilter.filter() != null && !result.isNew) {
        held.remove(requestedFilter.filter().text());
      }
      if (codes[i] == Dialect.CANNOT_BE_TOLD) {
        connection.fail(CloseReason.ofSubAck(result.code), "a subscription failed");
        return;
      }
    }
    answer(
        SubscriptionReplies.subAck(packetIdentifier, codes),
        codes.length,
        i -> began(wishes.get(i), results.get(i)));
  }

  /** The client has been told what became of it. */
  private void began(RequestedFilter requestedFilter, Result result) {
    TopicFilter filter = requestedFilter.filter();
    if (filter != null && result.code < UNSPECIFIED_ERROR) {
      connection
          .events()
          .subscribed(connection.access().client(), filter, requestedFilter.options().maxQos());
      replay.subscribed(filter, requestedFilter.options(), result.isNew);
    }
  }

  private void unsubscribe(int packetIdentifier, List<RequestedRemoval> unwanted) {
    List<CompletableFuture<Result>> results = new ArrayList<>(unwanted.size());
    SlicedLoop.run(
        connection,
        unwanted.size(),
        i -> results.add(remove(unwanted.get(i).filter)),
        () -> whenAll(results, codes -> unsubscribed(packetIdentifier, unwanted, codes)));
  }

  private CompletableFuture<Result> remove(@Nullable TopicFilter filter) {
    if (filter == null) {
      return refused(FilterReader.TOPIC_FILTER_INVALID);
    }
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

  private void unsubscribed(
      int packetIdentifier, List<RequestedRemoval> unwanted, List<Result> results) {
    short[] codes = new short[results.size()];
    for (int i = 0; i < codes.length; i++) {
      codes[i] = (short) results.get(i).code;
      String filter = unwanted.get(i).text;
      if (codes[i] == 0) {
        held.remove(filter);
      }
      if (results.get(i).code < UNSPECIFIED_ERROR) {
        replay.forget(filter);
      }
      if (codes[i] == UNSPECIFIED_ERROR && !connection.dialect().tellsOutcome()) {
        // A plain UNSUBACK would say that it worked (MQTT 3.1.1: MQTT-4.8.0-2).
        connection.fail(CloseReason.SERVER_UNAVAILABLE, "an UNSUBSCRIBE failed");
        return;
      }
    }
    answer(
        SubscriptionReplies.unsubAck(packetIdentifier, codes),
        codes.length,
        i -> ended(unwanted.get(i).text, codes[i]));
  }

  private void ended(String filter, int code) {
    if (code == 0) {
      connection.events().unsubscribed(connection.access().client(), filter);
    }
  }

  /** The connection has ended: what waits for its turn is forgotten, as it was not answered. */
  void end() {
    turns.end();
    held.end();
    replay.end();
  }
}
