package io.fjordmq.broker.delivery;

import io.fjordmq.broker.dispatch.DeliverySettings;
import io.fjordmq.broker.dispatch.LiveDispatch;
import io.fjordmq.broker.dispatch.LocalNode;
import io.fjordmq.broker.nodes.NodeStreams;

/**
 * The node-local part of delivery: connected clients, their event loops, and streams to other
 * nodes.
 */
record LocalDelivery(
    LocalNode self,
    DeliverySettings settings,
    DeliveryObserver observer,
    LiveDispatch dispatch,
    NodeStreams streams,
    SessionRegistry registry) {

  /** Creates the local part for a node that has no clients and no streams yet. */
  static LocalDelivery of(LocalNode self, DeliverySettings settings, DeliveryObserver observer) {
    NodeStreams streams = new NodeStreams();
    return new LocalDelivery(
        self,
        settings,
        observer,
        new LiveDispatch(settings, observer),
        streams,
        new SessionRegistry(streams));
  }
}
