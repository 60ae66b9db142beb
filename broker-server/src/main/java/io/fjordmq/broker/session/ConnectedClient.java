package io.fjordmq.broker.session;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.dispatch.LiveSubscription;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A connected client as operators see it. */
public interface ConnectedClient {
  String tenant();

  String clientId();

  /** The user name; null if the client is anonymous. Cheaper than {@link #attributes}. */
  @Nullable String userName();

  /**
   * Returns the attributes that do not change while the client is connected; null unless it is
   * connected. Can be called on any thread.
   */
  @Nullable ClientAttributes attributes();

  /** The event loop of the client. */
  Executor eventLoop();

  /**
   * Returns what changes; null if the client is not connected anymore. Requires that {@link
   * #attributes} has returned attributes. Can be called on any thread: the values are read while
   * the event loop changes them, so each is recent, but they may belong to different moments.
   */
  @Nullable ClientState state();

  /**
   * Returns messages for the client, without side effects; null if it is not connected anymore. On
   * the event loop.
   */
  @Nullable ClientQueue queue(ClientQueue.Selection selection);

  /**
   * Disconnects the client with 0x98 (administrative action) and ends its session, even if it is
   * persistent. A pending will is published. Can be called on any thread.
   *
   * @return completes when the connection has released the session: with true if this call has
   *     ended it, with false if the client has disconnected before, so that its session may remain
   */
  CompletableFuture<Boolean> kick();

  /**
   * Subscribes the client on behalf of an operator, without authorization. Can be called on any
   * thread.
   *
   * @return completes with the granted QoS or a reason code of 0x80 or higher; fails if the client
   *     disconnects
   */
  CompletableFuture<Integer> subscribe(TopicFilter filter, SubscriptionOptions options);

  /**
   * Removes a subscription on behalf of an operator. Can be called on any thread.
   *
   * @return completes with 0, with 0x11 if there is no such subscription, or with a reason code of
   *     0x80 or higher; fails if the client disconnects
   */
  CompletableFuture<Integer> unsubscribe(TopicFilter filter);

  /** Returns the subscriptions, in no particular order. Can be called on any thread. */
  List<LiveSubscription> subscriptions();
}
