package io.fjordmq.broker.query;

import io.fjordmq.api.Qos;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.dispatch.LiveSession;
import io.fjordmq.broker.dispatch.LiveSubscription;
import io.fjordmq.broker.dispatch.LocalSubscriptions;
import io.fjordmq.broker.dispatch.LocalSubscriptions.FilterSubscriber;
import io.fjordmq.broker.session.ClientAttributes;
import io.fjordmq.broker.session.ConnectedClient;
import io.fjordmq.broker.session.ConnectedClients;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.SessionPosition;
import io.fjordmq.router.Receiver;
import io.fjordmq.router.Route;
import io.fjordmq.router.RouteTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The subscriptions of this node's connected clients. */
final class LocalSubscriptionList implements NodeSubscriptions {
  private static final Comparator<LiveSubscription> BY_FILTER =
      (a, b) -> SessionPosition.compareText(a.filter().text(), b.filter().text());

  private final ConnectedClients clients;
  private final LocalSubscriptions live;
  private final RouteTable routes;
  private final NodeId self;

  /**
   * @param live finds the subscribers of ordinary filters
   * @param routes finds the members of shares
   */
  LocalSubscriptionList(
      ConnectedClients clients, LocalSubscriptions live, RouteTable routes, NodeId self) {
    this.clients = clients;
    this.live = live;
    this.routes = routes;
    this.self = self;
  }

  @Override
  public CompletableFuture<Subscriptions> listTransient(
      SubscriptionPosition from, @Nullable String tenant, int max) {
    return CompletableFuture.completedFuture(list(from, tenant, max));
  }

  private Subscriptions list(SubscriptionPosition from, @Nullable String tenant, int max) {
    List<Subscriptions.Entry> found = new ArrayList<>();
    String[] nextFilter = {""};
    SessionPosition next =
        clients.scan(
            from.session(),
            tenant,
            LocalClients.MAX_VISITED,
            client -> {
              ClientAttributes attributes = client.attributes();
              if (attributes == null || attributes.persistent()) {
                return true;
              }
              InboxId id = new InboxId(client.tenant(), client.clientId());
              for (LiveSubscription subscription : sorted(client)) {
                String filter = subscription.filter().text();
                if (SubscriptionPosition.of(id, filter).compareTo(from) < 0) {
                  continue;
                }
                if (found.size() >= max) {
                  nextFilter[0] = filter;
                  return false;
                }
                found.add(new Subscriptions.Entry(id, subscription));
              }
              return true;
            });
    return new Subscriptions(found, new SubscriptionPosition(next, nextFilter[0]));
  }

  @Override
  public CompletableFuture<Subscriptions> listSubscribers(
      SubscriptionPosition from, @Nullable String tenant, TopicFilter filter, int max) {
    FirstSubscriptions<SubscriptionOptions> first =
        new FirstSubscriptions<>(filter.text(), from, max);
    subscribersOf(tenant, filter)
        .filter(subscriber -> !subscriber.session().isPersistent())
        .forEach(
            subscriber -> {
              LiveSession session = subscriber.session();
              first.add(new InboxId(session.tenant(), session.clientId()), subscriber.options());
            });
    List<Subscriptions.Entry> found = new ArrayList<>();
    first.forEach(
        (id, options) ->
            found.add(new Subscriptions.Entry(id, new LiveSubscription(filter, options))));
    return CompletableFuture.completedFuture(new Subscriptions(found, first.next()));
  }

  private Stream<FilterSubscriber> subscribersOf(@Nullable String tenant, TopicFilter filter) {
    return filter.isShared()
        ? routes.routesOf(tenant, filter).stream()
            .map(route -> memberOf(route, filter))
            .flatMap(Optional::stream)
        : live.subscribersOf(tenant, filter.pattern()).stream();
  }

  /** Returns the member of a share that a route leads to, if it is connected to this node. */
  private Optional<FilterSubscriber> memberOf(Route route, TopicFilter share) {
    if (!(route.receiver() instanceof Receiver.Live member)
        || !member.node().equals(self.value())) {
      return Optional.empty();
    }
    return Optional.ofNullable(live.find(route.tenant(), member.member()))
        .flatMap(
            subscriber ->
                Optional.ofNullable(subscriber.liveOptionsOf(share.text(), Qos.AT_MOST_ONCE))
                    .map(options -> new FilterSubscriber(subscriber.session(), options)));
  }

  private static List<LiveSubscription> sorted(ConnectedClient client) {
    return client.subscriptions().stream().sorted(BY_FILTER).toList();
  }

  @Override
  public CompletableFuture<Optional<List<LiveSubscription>>> ofClient(InboxId id) {
    ConnectedClient client = find(id);
    return CompletableFuture.completedFuture(
        client == null ? Optional.empty() : Optional.of(sorted(client)));
  }

  private @Nullable ConnectedClient find(InboxId id) {
    ConnectedClient client = clients.find(id.tenant(), id.clientId());
    return client == null || client.attributes() == null ? null : client;
  }

  @Override
  public CompletableFuture<Integer> subscribe(
      InboxId id, TopicFilter filter, SubscriptionOptions options) {
    ConnectedClient client = find(id);
    return client == null
        ? CompletableFuture.completedFuture(NOT_CONNECTED)
        : client.subscribe(filter, options);
  }

  @Override
  public CompletableFuture<Integer> unsubscribe(InboxId id, TopicFilter filter) {
    ConnectedClient client = find(id);
    return client == null
        ? CompletableFuture.completedFuture(NOT_CONNECTED)
        : client.unsubscribe(filter);
  }
}
