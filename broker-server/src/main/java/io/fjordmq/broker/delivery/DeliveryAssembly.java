package io.fjordmq.broker.delivery;

import io.fjordmq.broker.dispatch.LiveDispatch;
import io.fjordmq.broker.dispatch.LocalSubscriptions;
import io.fjordmq.broker.nodes.ItemReceiver;
import io.fjordmq.broker.nodes.NodeStreams;
import io.fjordmq.inbox.InboxListener;

/**
 * All of a node's delivery, assembled once for production, tests and simulations: they differ in
 * the {@link DeliveryPorts} that they pass. It owns no threads and needs no closing.
 */
public final class DeliveryAssembly {
  private final LocalDelivery local;
  private final LocalSubscriptions live;
  private final Distribution distribution;
  private final InboxRoutes routes;
  private final InboxEvents inboxEvents;
  private final ReceivedItems receivedItems;

  /** Assembles the delivery of a node without clients and streams. */
  public static DeliveryAssembly open(DeliveryPorts ports) {
    return new DeliveryAssembly(ports);
  }

  private DeliveryAssembly(DeliveryPorts ports) {
    local = LocalDelivery.of(ports.self(), ports.settings(), ports.observer());
    live =
        new LocalSubscriptions(
            ports.self(), ports.router(), local.dispatch(), ports.settings(), ports.observer());
    distribution = new Distribution(local, live, ports);
    routes = new InboxRoutes(ports.router(), ports.settings());
    inboxEvents =
        new InboxEvents(
            local,
            ports.inboxes(),
            new WillService(distribution, ports.clock()),
            routes,
            new ShareRedistribution(ports.inboxes(), distribution.rerouting()));
    receivedItems =
        new ReceivedItems(live, local.dispatch(), local.registry(), inboxEvents, ports.isServing());
  }

  /** Distributes the messages of clients and of the broker. */
  public Distribution distribution() {
    return distribution;
  }

  /** The connected clients of this node. */
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

  /** Receives what other nodes send. */
  public ItemReceiver receivedItems() {
    return receivedItems;
  }

  /** Receives the events of the inbox store, usually through an {@link InboxEventRelay}. */
  public InboxListener inboxEvents() {
    return inboxEvents;
  }

  /** The mailboxes of the event loops, for tests of delivery. */
  LiveDispatch dispatch() {
    return local.dispatch();
  }
}
