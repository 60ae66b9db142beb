package io.fjordmq.broker.dispatch;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.dispatch.LocalSubscriber.Subscription;
import io.fjordmq.router.FilterTable;
import io.fjordmq.router.RouteStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Implements {@link LiveSubscriptions}: ordinary filters and their subscribers, looked up by topic;
 * clients and their subscriptions, looked up by client identifier for shares; and the routes that
 * lead to both.
 *
 * <p>Locks are always taken in this order: subscriber, filter table, filter. No lock is held while
 * calling the router or a session.
 */
public final class LocalSubscriptions implements LiveSubscriptions {
  private static final SubscriptionOptions QOS0_ROUTE_OPTIONS =
      SubscriptionOptions.ofQos(Qos.AT_MOST_ONCE);

  private record Client(String tenant, String clientId) {}

  private final LiveDispatch dispatch;
  private final BoundedCalls removals;
  private final LocalRoutes routes;
  private final FilterTable<LocalFilter, LocalMatch> filters;
  private final ConcurrentHashMap<Client, LocalSubscriber> subscribers = new ConcurrentHashMap<>();

  public LocalSubscriptions(
      LocalNode self,
      RouteStore router,
      LiveDispatch dispatch,
      DeliverySettings settings,
      DispatchObserver observer) {
    this.dispatch = dispatch;
    this.removals = new BoundedCalls(settings.routeRemovalsInFlight());
    this.routes = new LocalRoutes(self, router, removals, observer);
    this.filters =
        new FilterTable<>(
            matched -> new LocalMatch(matched, settings.maxCachedFanOut()),
            settings.maxCachedTopics());
  }

  @Override
  public CompletableFuture<Boolean> subscribe(
      LiveSession session, TopicFilter filter, SubscriptionOptions options) {
    LocalSubscriber localSubscriber = subscriberOf(session);
    Subscription added = new Subscription(filter, options);
    LocalRoutes.Key route = routeOf(session, filter);
    boolean isNew;
    CompletableFuture<Void> ready;
    synchronized (
        localSubscriber) { // changes the subscription and the count of its route atomically
      try {
        isNew = localSubscriber.put(added) == null;
      } catch (IllegalStateException e) {
        return CompletableFuture.failedFuture(e);
      }
      addToFilter(localSubscriber, added);
      ready = routes.hold(route, routeOptions(session, filter, options), isNew);
    }
    routes.reconcile(route);
    CompletableFuture<Boolean> result = new CompletableFuture<>();
    ready.whenComplete(
        (ok, fault) -> {
          if (fault != null) {
            rollBack(localSubscriber, added);
          }
          StoreCalls.complete(result, isNew, fault);
        });
    return result;
  }

  @Override
  public CompletableFuture<Boolean> unsubscribe(LiveSession session, TopicFilter filter) {
    LocalSubscriber localSubscriber = find(session.tenant(), session.clientId());
    if (localSubscriber == null || localSubscriber.session() != session) {
      return CompletableFuture.completedFuture(false);
    }
    boolean removed;
    synchronized (localSubscriber) {
      removed = localSubscriber.remove(filter);
      if (removed) {
        releaseSubscription(localSubscriber, filter);
      }
    }
    routes.reconcile(routeOf(session, filter));
    // From here on, nothing is delivered for the subscription; its route may exist a little longer.
    return CompletableFuture.completedFuture(removed);
  }

  @Override
  public boolean isSubscribed(LiveSession session, TopicFilter filter) {
    LocalSubscriber localSubscriber = find(session.tenant(), session.clientId());
    return localSubscriber != null
        && localSubscriber.session() == session
        && localSubscriber.isSubscribedTo(filter);
  }

  @Override
  public List<LiveSubscription> subscriptionsOf(LiveSession session) {
    LocalSubscriber localSubscriber = find(session.tenant(), session.clientId());
    return localSubscriber != null && localSubscriber.session() == session
        ? localSubscriber.all()
        : List.of();
  }

  @Override
  public void removeAll(LiveSession session) {
    Client client = new Client(session.tenant(), session.clientId());
    LocalSubscriber localSubscriber = subscribers.get(client);
    if (localSubscriber != null && localSubscriber.session() == session) {
      subscribers.remove(client, localSubscriber);
      end(localSubscriber);
    }
  }

  /**
   * Forgets this node's routes after its incarnation and all of its sessions have ended. Sweeps
   * remove the routes from the router.
   */
  public void endIncarnation() {
    routes.clear();
  }

  /**
   * Returns the matching ordinary subscriptions on this node. The outbox counts the visited trie
   * nodes.
   */
  public LocalMatch match(String tenant, Message message, Outbox outbox) {
    return filters.match(tenant, message.topic().name(), outbox);
  }

  /**
   * Returns a client of this node; null if it is not connected to this node or has no subscription.
   */
  public @Nullable LocalSubscriber find(String tenant, String clientId) {
    return subscribers.get(new Client(tenant, clientId));
  }

  /**
   * A client of this node that subscribes to a filter.
   *
   * @param options the options of this subscription
   */
  public record FilterSubscriber(LiveSession session, SubscriptionOptions options) {}

  /**
   * Returns the clients of this node that subscribe to exactly one ordinary filter, in no
   * particular order. The cost depends on their number and, if no tenant is given, on the number of
   * tenants.
   *
   * @param tenant null for the filter in all tenants
   * @param pattern a topic filter without a share name
   */
  public List<FilterSubscriber> subscribersOf(@Nullable String tenant, String pattern) {
    List<FilterSubscriber> found = new ArrayList<>();
    for (String each : tenant == null ? filters.tenants() : Set.of(tenant)) {
      LocalFilter filter = filters.get(each, pattern);
      if (filter != null) {
        filter.forEach(
            (subscriber, options) ->
                found.add(new FilterSubscriber(subscriber.session(), options)));
      }
    }
    return found;
  }

  /** The queue of all route removals. */
  public BoundedCalls removals() {
    return removals;
  }

  public int filterCount() {
    return filters.size();
  }

  public int heldRoutes() {
    return routes.size();
  }

  public int failedRouteRemovals() {
    return routes.failedRemovals();
  }

  public int cachedTopics() {
    return filters.cachedTopics();
  }

  private LocalSubscriber subscriberOf(LiveSession session) {
    Client client = new Client(session.tenant(), session.clientId());
    LocalSubscriber present = subscribers.get(client);
    if (present != null && present.session() == session) {
      return present;
    }
    LocalSubscriber created =
        new LocalSubscriber(session, dispatch.mailbox(session.eventLoop()), this);
    LocalSubscriber older = subscribers.put(client, created);
    if (older != null) { // the older connection was taken over before it removed its subscriptions
      end(older);
    }
    return created;
  }

  private void end(LocalSubscriber localSubscriber) {
    List<TopicFilter> remaining;
    synchronized (localSubscriber) {
      remaining = localSubscriber.close();
      remaining.forEach(filter -> releaseSubscription(localSubscriber, filter));
    }
    remaining.forEach(filter -> routes.reconcile(routeOf(localSubscriber.session(), filter)));
  }

  /**
   * Rolls back a subscription whose route could not be added, unless a newer subscription has
   * replaced it.
   */
  private void rollBack(LocalSubscriber localSubscriber, Subscription failed) {
    synchronized (localSubscriber) {
      if (localSubscriber.remove(failed)) {
        releaseSubscription(localSubscriber, failed.filter);
      }
    }
    routes.reconcile(routeOf(localSubscriber.session(), failed.filter));
  }

  private void addToFilter(LocalSubscriber localSubscriber, Subscription added) {
    if (added.filter.isShared()) {
      return;
    }
    String pattern = added.filter.pattern();
    filters.compute(
        localSubscriber.session().tenant(),
        pattern,
        present -> {
          LocalFilter filter = present == null ? new LocalFilter(pattern) : present;
          filter.add(localSubscriber, added.options);
          return filter;
        });
  }

  /** Releases the filter and route of a subscription. The caller holds the subscriber's lock. */
  private void releaseSubscription(LocalSubscriber localSubscriber, TopicFilter filter) {
    if (!filter.isShared()) {
      filters.compute(
          localSubscriber.session().tenant(),
          filter.pattern(),
          present -> present == null || present.remove(localSubscriber) ? null : present);
    }
    routes.release(routeOf(localSubscriber.session(), filter));
  }

  /**
   * Returns the options for the route. A session with an inbox receives live only the messages with
   * an effective QoS of 0: all messages if it subscribes with QoS 0, otherwise those published with
   * QoS 0.
   */
  private static SubscriptionOptions routeOptions(
      LiveSession session, TopicFilter filter, SubscriptionOptions options) {
    if (filter.isShared()) {
      return options;
    }
    return session.isPersistent() && options.maxQos() != Qos.AT_MOST_ONCE
        ? QOS0_ROUTE_OPTIONS
        : LocalRoutes.NODE_ROUTE_OPTIONS;
  }

  /**
   * Returns the route that a subscription needs: the node's own route or, for a shared
   * subscription, one per share member. The route of a member with an inbox shows where the member
   * is connected. QoS 0 messages follow this route; for other messages, the inbox of a connected
   * member is preferred to those of offline clients.
   */
  private static LocalRoutes.Key routeOf(LiveSession session, TopicFilter filter) {
    return new LocalRoutes.Key(
        session.tenant(), filter, filter.isShared() ? session.clientId() : "");
  }
}
