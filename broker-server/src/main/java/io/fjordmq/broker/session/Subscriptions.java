package io.fjordmq.broker.session;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.api.plugin.Action;
import io.fjordmq.broker.dispatch.LiveSession;
import io.fjordmq.broker.events.Denial;
import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.Dialect;
import io.fjordmq.broker.protocol.FilterPacket;
import io.fjordmq.broker.protocol.PacketFramer;
import io.fjordmq.broker.protocol.ProtocolViolation;
import io.fjordmq.broker.protocol.SubscriptionReplies;
import io.fjordmq.broker.security.AccessDecision;
import io.fjordmq.broker.session.FilterReader.RequestedFilter;
import io.fjordmq.broker.session.FilterResults.Result;
import io.fjordmq.inbox.Attachment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Handles SUBSCRIBE and UNSUBSCRIBE. The packets of a client are handled one at a time ({@link
 * SubscribeQueue}). The filters of a packet are handled concurrently ({@link SubscriptionChanges})
 * and in slices ({@link SlicedLoop}).
 *
 * <p>The SUBACK is written when every filter is effective on every node. Retained messages are sent
 * after the SUBACK, because sending all of them may take a long time.
 */
final class Subscriptions {
  private static final int IMPLEMENTATION_SPECIFIC_ERROR = 0x83;
  private static final int NOT_AUTHORIZED = 0x87;
  private static final int QUOTA_EXCEEDED = 0x97;

  /**
   * The result for a denied subscription. It is marked as not new, so that the subscription, which
   * was counted in advance, no longer counts.
   */
  private static final Result DENIED = new Result(NOT_AUTHORIZED, false);

  /** One filter of an UNSUBSCRIBE. It is refused if {@code filter} is null. */
  private record RequestedRemoval(String text, @Nullable TopicFilter filter) {}

  private final Connection connection;
  private final LiveSession session;
  private final SubscriptionChanges changes;
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
    this.changes = new SubscriptionChanges(connection, session, attachment);
    this.count = new SubscriptionCount(connection.settings(), connection.observer(), attachment);
    this.replay = replay;
    this.filters = new FilterReader(connection);
    this.queue = new SubscribeQueue(connection);
  }

  /**
   * Handles a SUBSCRIBE.
   *
   * @throws ProtocolViolation if the packet violates the protocol
   */
  void onSubscribe(FilterPacket packet) {
    if (!packet.hasNext()) {
      throw new ProtocolViolation(
          CloseReason.PROTOCOL_ERROR, "SUBSCRIBE must contain a topic filter");
    }
    List<RequestedFilter> requested = new ArrayList<>();
    SlicedLoop.run(
        connection,
        packet::hasNext,
        () -> requested.add(read(packet)),
        () -> {
          requireResponseFits(requested.size());
          queue.submit(() -> subscribe(packet.identifier(), requested));
        });
  }

  private RequestedFilter read(FilterPacket packet) {
    String filter = packet.nextFilter();
    SubscriptionOptions options =
        connection.dialect().readOptions(packet.nextByte(), packet.subscriptionIdentifier());
    return filters.readRequested(filter, options);
  }

  /**
   * Handles an UNSUBSCRIBE.
   *
   * @throws ProtocolViolation if the packet violates the protocol
   */
  void onUnsubscribe(FilterPacket packet) {
    if (!packet.hasNext()) {
      throw new ProtocolViolation(
          CloseReason.PROTOCOL_ERROR, "UNSUBSCRIBE must contain a topic filter");
    }
    List<RequestedRemoval> removals = new ArrayList<>();
    SlicedLoop.run(
        connection,
        packet::hasNext,
        () -> removals.add(readRemoval(packet)),
        () -> {
          requireResponseFits(removals.size());
          queue.submit(() -> unsubscribe(packet.identifier(), removals));
        });
  }

  private RequestedRemoval readRemoval(FilterPacket packet) {
    String filter = packet.nextFilter();
    return new RequestedRemoval(filter, filters.read(filter));
  }

  /** Changes subscriptions on behalf of an operator. */
  ForcedSubscriptions forced() {
    return new ForcedSubscriptions(connection, session, changes, count, queue, replay);
  }

  /** The number of subscriptions, including those that are being added. */
  int count() {
    return count.count();
  }

  /**
   * Requires that the response fits into the client's Maximum Packet Size; larger packets must not
   * be sent (MQTT-3.1.2-24).
   */
  private void requireResponseFits(int filters) {
    if (PacketFramer.packetBytes(3 + filters) > connection.dialect().maxPacketBytes()) {
      throw new ProtocolViolation(
          CloseReason.PACKET_TOO_LARGE,
          "response for " + filters + " filters would exceed the client's maximum packet size");
    }
  }

  private void subscribe(int packetIdentifier, List<RequestedFilter> requested) {
    // If a packet contains the same filter twice, the two are handled in sequence, as if they were
    // in separate packets (MQTT 5.0 §3.8.4).
    Map<String, CompletableFuture<Result>> earlier = new HashMap<>();
    FilterResults results = new FilterResults(requested.size());
    int refusal = refusalOfAllFilters();
    SlicedLoop.run(
        connection,
        requested.size(),
        i -> results.add(subscribe(requested.get(i), refusal, earlier)),
        () -> whenAll(results, () -> completeSubscribe(packetIdentifier, requested, results)));
  }

  private CompletableFuture<Result> subscribe(
      RequestedFilter requestedFilter,
      int refusal,
      Map<String, CompletableFuture<Result>> earlier) {
    TopicFilter filter = requestedFilter.filter();
    if (filter == null) {
      return refusedResult(requestedFilter.refusal());
    }
    if (refusal != 0) {
      String node = refusal == QUOTA_EXCEEDED ? "overloaded" : "not serving clients";
      connection
          .history()
          .recordSubscribeRefused(filter.text(), refusal, Denial.of("the node is " + node), null);
      return refusedResult(refusal);
    }
    Limit exceeded = limitExceededBy(filter);
    if (exceeded != null) {
      connection.recordLimitReached(exceeded);
      connection
          .history()
          .recordSubscribeRefused(filter.text(), QUOTA_EXCEEDED, Denial.NONE, exceeded);
      return refusedResult(QUOTA_EXCEEDED);
    }
    count.add(filter.text());
    CompletableFuture<Result> before = earlier.get(filter.text());
    Action.Subscribe wanted = new Action.Subscribe(filter, requestedFilter.options().maxQos());
    CompletableFuture<AccessDecision> decision = connection.access().maySubscribe(wanted);
    CompletableFuture<Result> result =
        before == null
            ? addIfAllowed(decision, filter, requestedFilter.options())
            : before.thenCompose(done -> addIfAllowed(decision, filter, requestedFilter.options()));
    earlier.put(filter.text(), result);
    return result;
  }

  /**
   * Returns the limit that the filter would exceed, if any. Replacing an existing subscription
   * exceeds no limit.
   */
  private @Nullable Limit limitExceededBy(TopicFilter filter) {
    Limit exceeded = count.limitExceededBy(filter.text());
    return exceeded != null && connection.services().live().isSubscribed(session, filter)
        ? null
        : exceeded;
  }

  /**
   * Returns the reason code if all filters are currently refused, otherwise 0. Filters that are
   * already subscribed are refused as well, because replacing a subscription costs a write and may
   * resend retained messages.
   */
  private int refusalOfAllFilters() {
    if (connection.services().servingState().notServingReason() != null) {
      connection.observer().onRefusedAsNotServing(RejectedWork.SUBSCRIBE);
      return IMPLEMENTATION_SPECIFIC_ERROR;
    }
    if (connection.services().overload().isOverloaded()) {
      connection.observer().onRefusedAsOverloaded(RejectedWork.SUBSCRIBE);
      return QUOTA_EXCEEDED;
    }
    return 0;
  }

  /** Returns the result for a filter that was refused before it was counted. */
  private static CompletableFuture<Result> refusedResult(int code) {
    return CompletableFuture.completedFuture(new Result(code, true));
  }

  private CompletableFuture<Result> addIfAllowed(
      CompletableFuture<AccessDecision> decision, TopicFilter filter, SubscriptionOptions options) {
    return decision.thenCompose(
        accessDecision ->
            accessDecision.allowed()
                ? changes.add(filter, options)
                : denied(filter, accessDecision));
  }

  private CompletableFuture<Result> denied(TopicFilter filter, AccessDecision accessDecision) {
    connection
        .history()
        .recordSubscribeRefused(filter.text(), NOT_AUTHORIZED, accessDecision.denial(), null);
    return CompletableFuture.completedFuture(DENIED);
  }

  private void whenAll(FilterResults results, Runnable then) {
    connection.whenDone(
        results.allDone(),
        (done, error) -> {
          if (connection.isEnded()) {
            // Removes subscriptions that were added after the session had ended.
            connection.services().live().removeAll(session);
          } else {
            then.run();
          }
        });
  }

  /**
   * Writes the response, runs the remaining work for each filter, and then starts the next packet.
   */
  private void respond(int filters, Runnable reply, IntConsumer rest) {
    if (connection.isEnded()) {
      return;
    }
    reply.run();
    count.report();
    connection.writer().flush();
    SlicedLoop.run(
        connection,
        filters,
        rest,
        () -> {
          if (!connection.isEnded()) {
            connection.writer().flush();
            queue.onComplete();
          }
        });
  }

  private void completeSubscribe(
      int packetIdentifier, List<RequestedFilter> requested, FilterResults results) {
    byte[] codes = new byte[requested.size()];
    SlicedLoop.run(
        connection,
        codes.length,
        i -> codes[i] = (byte) completeSubscribe(requested.get(i), results.get(i)),
        () ->
            respond(
                codes.length,
                () ->
                    SubscriptionReplies.writeSubAck(
                        connection.writer(), connection.dialect(), packetIdentifier, codes),
                i -> onSubscribed(requested.get(i), results.get(i))));
  }

  /** Returns the code for the SUBACK, or ends the connection if there is none. */
  private int completeSubscribe(RequestedFilter requestedFilter, Result result) {
    if (requestedFilter.filter() != null && !result.isNew()) {
      count.remove(requestedFilter.filter().text());
    }
    int code =
        result.code() < FilterResults.UNSPECIFIED_ERROR
            ? result.code()
            : connection.dialect().subAckCode(result.code(), requestedFilter.options().maxQos());
    if (code == Dialect.MUST_CLOSE) {
      connection.fail(CloseReason.ofSubAck(result.code()), "SUBSCRIBE failed");
    }
    return code;
  }

  /** Called for each filter after the SUBACK has been written. */
  private void onSubscribed(RequestedFilter requestedFilter, Result result) {
    TopicFilter filter = requestedFilter.filter();
    if (filter != null && result.code() < FilterResults.UNSPECIFIED_ERROR) {
      connection
          .events()
          .subscribed(connection.access().client(), filter, requestedFilter.options().maxQos());
      connection.history().recordSubscribed(filter.text(), result.code());
      replay.onSubscribed(filter, requestedFilter.options(), result.isNew());
    } else if (filter != null && result.code() == FilterResults.UNSPECIFIED_ERROR) {
      Denial denial = Denial.of("a store did not confirm the subscription");
      connection.history().recordSubscribeRefused(filter.text(), result.code(), denial, null);
    }
  }

  private void unsubscribe(int packetIdentifier, List<RequestedRemoval> removals) {
    FilterResults results = new FilterResults(removals.size());
    SlicedLoop.run(
        connection,
        removals.size(),
        i -> results.add(remove(removals.get(i).filter)),
        () -> whenAll(results, () -> completeUnsubscribe(packetIdentifier, removals, results)));
  }

  private CompletableFuture<Result> remove(@Nullable TopicFilter filter) {
    return filter == null
        ? refusedResult(FilterReader.TOPIC_FILTER_INVALID)
        : changes.remove(filter);
  }

  private void completeUnsubscribe(
      int packetIdentifier, List<RequestedRemoval> removals, FilterResults results) {
    byte[] codes = new byte[removals.size()];
    SlicedLoop.run(
        connection,
        codes.length,
        i -> codes[i] = (byte) completeUnsubscribe(removals.get(i).text, results.get(i).code()),
        () ->
            respond(
                codes.length,
                () ->
                    SubscriptionReplies.writeUnsubAck(
                        connection.writer(), connection.dialect(), packetIdentifier, codes),
                i -> onUnsubscribed(removals.get(i).text, codes[i])));
  }

  /** Returns the code for the UNSUBACK, or ends the connection if MQTT 3 has none. */
  private int completeUnsubscribe(String filter, int code) {
    if (code == 0) {
      count.remove(filter);
    }
    if (code < FilterResults.UNSPECIFIED_ERROR) {
      replay.cancel(filter);
    }
    if (code == FilterResults.UNSPECIFIED_ERROR && !connection.dialect().reportsOutcome()) {
      // In MQTT 3, an UNSUBACK would report success (MQTT 3.1.1: MQTT-4.8.0-2).
      connection.fail(CloseReason.SERVER_UNAVAILABLE, "UNSUBSCRIBE failed");
    }
    return code;
  }

  private void onUnsubscribed(String filter, int code) {
    if (code == 0) {
      connection.events().unsubscribed(connection.access().client(), filter);
      connection.history().recordUnsubscribed(filter);
    }
  }

  /** Discards queued packets after the connection has ended. They have not been acknowledged. */
  void end() {
    queue.end();
    count.end();
    replay.end();
  }
}
