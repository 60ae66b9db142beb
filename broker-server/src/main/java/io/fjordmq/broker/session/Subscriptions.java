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
 * Handles SUBSCRIBE and UNSUBSCRIBE. The packets of a client are handled one after the other
 * ({@link SubscribeQueue}), the filters of one packet concurrently, in slices ({@link SlicedLoop}).
 *
 * <p>The SUBACK is written when every filter is effective on every node. For a persistent session
 * the order is inbox row, route, live subscription (with QoS 0: live subscription, then route), so
 * that after a crash no route leads to a missing subscription. Unsubscribing removes the inbox row
 * last. Retained messages follow the SUBACK, because sending them all may take long.
 */
final class Subscriptions {
  private static final Logger LOG = LoggerFactory.getLogger(Subscriptions.class);

  private static final int UNSPECIFIED_ERROR = 0x80;
  private static final int IMPLEMENTATION_SPECIFIC_ERROR = 0x83;
  private static final int NOT_AUTHORIZED = 0x87;
  private static final int QUOTA_EXCEEDED = 0x97;
  private static final int NO_SUBSCRIPTION_EXISTED = 0x11;

  /** The result for one filter: a reason code, and whether the subscription is new. */
  private record Result(int code, boolean isNew) {}

  private static final Result FAILED = new Result(UNSPECIFIED_ERROR, false);

  private static final Result DENIED = new Result(NOT_AUTHORIZED, false);

  /** One filter of an UNSUBSCRIBE; refused if {@code filter} is null. */
  private record RequestedRemoval(String text, @Nullable TopicFilter filter) {}

  private final Connection connection;
  private final LiveSession session;
  private final @Nullable InboxHandle handle;
  private final RetainedReplay replay;
  private final FilterReader filters;
  private final SubscribeQueue queue;
  private final SubscriptionCount count;

  Subscriptions(
      Connection connection,
      LiveSession session,
      @Nullable Attachment attachment,
      RetainedReplay replay) {
    this.connection = connection;
    this.session = session;
    this.handle = attachment == null ? null : attachment.handle();
    this.count = new SubscriptionCount(connection.settings(), connection.observer(), attachment);
    this.replay = replay;
    this.filters = new FilterReader(connection);
    this.queue = new SubscribeQueue(connection);
  }

  /**
   * Handles a SUBSCRIBE.
   *
   * @throws ProtocolViolation if it breaks the protocol
   */
  void onSubscribe(MqttSubscribeMessage packet) {
    List<MqttTopicSubscription> topics = packet.payload().topicSubscriptions();
    if (topics.isEmpty()) {
      throw new ProtocolViolation(CloseReason.PROTOCOL_ERROR, "SUBSCRIBE without a filter");
    }
    requireAnswerable(topics.size());
    int identifier = packet.variableHeader().messageId();
    List<RequestedFilter> requested = new ArrayList<>(topics.size());
    SlicedLoop.run(
        connection,
        topics.size(),
        i -> requested.add(read(packet, topics.get(i))),
        () -> queue.submit(() -> subscribe(identifier, requested)));
  }

  private RequestedFilter read(MqttSubscribeMessage packet, MqttTopicSubscription one) {
    return filters.readRequested(one.topicName(), connection.dialect().options(packet, one));
  }

  /**
   * Handles an UNSUBSCRIBE.
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
    List<RequestedRemoval> removals = new ArrayList<>(texts.size());
    SlicedLoop.run(
        connection,
        texts.size(),
        i -> removals.add(new RequestedRemoval(texts.get(i), filters.read(texts.get(i)))),
        () -> queue.submit(() -> unsubscribe(identifier, removals)));
  }

  /** A reply above the client's Maximum Packet Size must not be sent (MQTT-3.1.2-24). */
  private void requireAnswerable(int filters) {
    if (PublishEncoder.packetBytes(3 + filters) > connection.dialect().maxPacketBytes()) {
      throw new ProtocolViolation(
          CloseReason.PACKET_TOO_LARGE,
          "reply for " + filters + " filters exceeds the client's maximum packet size");
    }
  }

  private void subscribe(int packetIdentifier, List<RequestedFilter> requested) {
    // The same filter twice in one packet counts as two packets (MQTT 5.0 §3.8.4): in sequence.
    Map<String, CompletableFuture<Result>> earlier = new HashMap<>();
    List<CompletableFuture<Result>> results = new ArrayList<>(requested.size());
    int refusal = refusalOfAll();
    SlicedLoop.run(
        connection,
        requested.size(),
        i -> results.add(subscribe(requested.get(i), refusal, earlier)),
        () -> whenAll(results, codes -> subscribed(packetIdentifier, requested, codes)));
  }

  private CompletableFuture<Result> subscribe(
      RequestedFilter one, int refusal, Map<String, CompletableFuture<Result>> earlier) {
    TopicFilter filter = one.filter();
    if (filter == null) {
      return refused(one.refusal());
    }
    if (refusal != 0) {
      return refused(refusal);
    }
    Limit full = limitReachedBy(filter);
    if (full != null) {
      connection.reached(full);
      return refused(QUOTA_EXCEEDED);
    }
    count.add(filter.text());
    CompletableFuture<Result> before = earlier.get(filter.text());
    Action.Subscribe wanted = new Action.Subscribe(filter, one.options().maxQos());
    CompletableFuture<AccessDecision> decision = connection.access().subscribe(wanted);
    CompletableFuture<Result> result =
        before == null
            ? addIf(decision, filter, one.options())
            : before.thenCompose(done -> addIf(decision, filter, one.options()));
    earlier.put(filter.text(), result);
    return result;
  }

  /** The limit that the filter would exceed; replacing an existing subscription exceeds none. */
  private @Nullable Limit limitReachedBy(TopicFilter filter) {
    Limit full = count.reachedBy(filter.text());
    return full != null && connection.services().live().isSubscribed(session, filter) ? null : full;
  }

  /**
   * The reason code if all filters are refused now, else 0. Existing subscriptions are refused too:
   * they cost a write and cause retained messages to be sent.
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
      CompletableFuture<AccessDecision> decision, TopicFilter filter, SubscriptionOptions options) {
    return decision.thenCompose(
        it -> it.allowed() ? add(filter, options) : CompletableFuture.completedFuture(DENIED));
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
   * Adds the route to the inbox and the live subscription. The one that messages use from now on
   * comes first: while a subscription is replaced, messages may be duplicated, but none is lost
   * (MQTT-3.8.4-4).
   */
  private CompletableFuture<?> route(InboxHandle inbox, InboxSubscription row) {
    Supplier<CompletableFuture<Void>> stored =
        () -> connection.services().routes().add(inbox.id(), inbox.incarnation(), row);
    return row.options().maxQos() == Qos.AT_MOST_ONCE
        ? subscribeLive(row.filter(), row.options()).thenCompose(done -> stored.get())
        : stored.get().thenCompose(done -> subscribeLive(row.filter(), row.options()));
  }

  /** Runs on the event loop; after the end it would affect the client's next session. */
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
            // Removes subscriptions that were added after the session ended.
            connection.services().live().removeAll(session);
          } else {
            answer.accept(results.stream().map(future -> future.getNow(FAILED)).toList());
          }
        });
  }

  /** Writes the reply, runs the remaining work for each filter, then starts the next packet. */
  private void answer(MqttMessage answer, int filters, IntConsumer rest) {
    connection.writer().message(answer);
    count.report();
    connection.writer().flush();
    SlicedLoop.run(
        connection,
        filters,
        rest,
        () -> {
          if (!connection.isEnded()) {
            connection.writer().flush();
            queue.next();
          }
        });
  }

  private void subscribed(
      int packetIdentifier, List<RequestedFilter> requested, List<Result> results) {
    int[] codes = new int[results.size()];
    for (int i = 0; i < codes.length; i++) {
      Result result = results.get(i);
      RequestedFilter one = requested.get(i);
      codes[i] =
          result.code < UNSPECIFIED_ERROR
              ? result.code
              : connection.dialect().refusedSubscription(result.code, one.options().maxQos());
      if (one.filter() != null && !result.isNew) {
        count.remove(one.filter().text());
      }
      if (codes[i] == Dialect.CANNOT_BE_TOLD) {
        connection.fail(CloseReason.ofSubAck(result.code), "SUBSCRIBE failed");
        return;
      }
    }
    answer(
        SubscriptionReplies.subAck(packetIdentifier, codes),
        codes.length,
        i -> began(requested.get(i), results.get(i)));
  }

  /** Called for each filter after the SUBACK was written. */
  private void began(RequestedFilter one, Result result) {
    TopicFilter filter = one.filter();
    if (filter != null && result.code < UNSPECIFIED_ERROR) {
      connection.events().subscribed(connection.access().client(), filter, one.options().maxQos());
      replay.subscribed(filter, one.options(), result.isNew);
    }
  }

  private void unsubscribe(int packetIdentifier, List<RequestedRemoval> removals) {
    List<CompletableFuture<Result>> results = new ArrayList<>(removals.size());
    SlicedLoop.run(
        connection,
        removals.size(),
        i -> results.add(remove(removals.get(i).filter)),
        () -> whenAll(results, codes -> unsubscribed(packetIdentifier, removals, codes)));
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
      int packetIdentifier, List<RequestedRemoval> removals, List<Result> results) {
    short[] codes = new short[results.size()];
    for (int i = 0; i < codes.length; i++) {
      codes[i] = (short) results.get(i).code;
      String filter = removals.get(i).text;
      if (codes[i] == 0) {
        count.remove(filter);
      }
      if (results.get(i).code < UNSPECIFIED_ERROR) {
        replay.forget(filter);
      }
      if (codes[i] == UNSPECIFIED_ERROR && !connection.dialect().reportsOutcome()) {
        // An UNSUBACK of MQTT 3 would report success (MQTT 3.1.1: MQTT-4.8.0-2).
        connection.fail(CloseReason.SERVER_UNAVAILABLE, "UNSUBSCRIBE failed");
        return;
      }
    }
    answer(
        SubscriptionReplies.unsubAck(packetIdentifier, codes),
        codes.length,
        i -> ended(removals.get(i).text, codes[i]));
  }

  private void ended(String filter, int code) {
    if (code == 0) {
      connection.events().unsubscribed(connection.access().client(), filter);
    }
  }

  /** The connection has ended: discards queued packets, which were not answered. */
  void end() {
    queue.end();
    count.end();
    replay.end();
  }
}
