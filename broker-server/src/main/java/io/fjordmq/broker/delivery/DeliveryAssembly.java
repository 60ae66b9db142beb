package io.fjordmq.broker.delivery;

import io.fjordmq.broker.dispatch.LiveDispatch;
import io.fjordmq.broker.dispatch.LocalSubscriptions;
import io.fjordmq.broker.nodes.ItemReceiver;
import io.fjordmq.broker.nodes.NodeStreams;
import io.fjordmq.broker.topicmetrics.TopicTraffic;
import io.fjordmq.inbox.InboxListener;

/**
 * Assembles the delivery components of a node. Production, tests and simulations use the same
 * assembly and differ only in the {@link DeliveryDependencies} that they pass. The assembly owns no
 * threads and need not be closed.
 */
public final class DeliveryAssembly {
  private final LocalDelivery local;
  private final LocalSubscriptions live;
  private final Distribution distribution;
  private final InboxRoutes routes;
  private final InboxEvents inboxEvents;
  private final ReceivedItems receivedItems;
  private final RetainedBarrier retainedBarrier;
  private final TopicTraffic topicTraffic;

  /** Assembles the delivery components of a node that has no clients and no streams yet. */
  public static DeliveryAssembly open(DeliveryDependencies dependencies) {
    return new DeliveryAssembly(dependencies);
  }

  private DeliveryAssembly(DeliveryDependencies dependencies) {
    topicTraffic = dependencies.topicTraffic();
    retainedBarrier = dependencies.retainedBarrier();
    local = LocalDelivery.of(dependencies.self(), dependencies.settings(), dependencies.observer());
    live =
        new LocalSubscriptions(
            dependencies.self(),
            dependencies.router(),
            local.dispatch(),
            dependencies.settings(),
            dependencies.observer());
    distribution = new Distribution(local, live, dependencies);
    routes = new InboxRoutes(dependencies.router(), dependencies.settings());
    inboxEvents =
        new InboxEvents(
            local,
            dependencies.inboxes(),
            new WillService(distribution, dependencies.clock(), dependencies.spans()),
            routes,
            dependencies.history(),
            new ShareRedistribution(dependencies.inboxes(), distribution.rerouting()));
    receivedItems =
        new ReceivedItems(
            live,
            local.dispatch(),
            local.registry(),
            inboxEvents,
            retainedBarrier,
            dependencies.isServing());
  }

  /** The entry point for messages published by clients and by the broker. */
  public Distribution distribution() {
    return distribution;
  }

  /** The clients connected to this node. */
  public SessionRegistry registry() {
    return local.registry();
  }

  /** The subscriptions of connected clients. */
  public LocalSubscriptions live() {
    return live;
  }

  /** The routes that lead to inboxes. */
  public InboxRoutes routes() {
    return routes;
  }

  /** The streams to other nodes. */
  public NodeStreams streams() {
    return local.streams();
  }

  /** The receiver of items from other nodes. */
  public ItemReceiver receivedItems() {
    return receivedItems;
  }

  /** The receiver of inbox store events, usually called through an {@link InboxEventRelay}. */
  public InboxListener inboxEvents() {
    return inboxEvents;
  }

  /** Waits for the retained messages that a new subscription may not get live. */
  public RetainedBarrier retainedBarrier() {
    return retainedBarrier;
  }

  /** Counts messages of topics. */
  public TopicTraffic topicTraffic() {
    return topicTraffic;
  }

  /** The mailboxes of the event loops, for delivery tests. */
  LiveDispatch dispatch() {
    return local.dispatch();
  }
}
