package io.fjordmq.broker.session;

import io.fjordmq.broker.delivery.InboxRoutes;
import io.fjordmq.broker.delivery.LiveSubscriptions;
import io.fjordmq.broker.delivery.LocalNode;
import io.fjordmq.broker.delivery.PublishRouter;
import io.fjordmq.broker.delivery.SessionRegistry;
import io.fjordmq.broker.limits.Overload;
import io.fjordmq.broker.security.Security;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.retain.RetainStore;
import java.time.InstantSource;
import java.util.function.BooleanSupplier;

/**
 * The services that sessions use; shared by all sessions of a node.
 *
 * @param tenants limits and quotas of tenants
 * @param overload whether the node is overloaded
 * @param events listener for clients that connect and disconnect
 * @param observer receives measurements
 * @param security authentication and authorization
 * @param registry of connected clients
 * @param publishRouter publishes the messages of clients
 * @param live subscriptions of connected clients
 * @param inboxes persistent sessions
 * @param routes to inboxes
 * @param retained messages for new subscriptions
 * @param hasRoom whether there is enough free disk space to store messages
 * @param clock wall clock
 * @param self this node, as the owner of inboxes
 * @param servingState whether the node may serve clients
 */
public record SessionServices(
    Tenants tenants,
    Overload overload,
    ClientEvents events,
    SessionObserver observer,
    Security security,
    SessionRegistry registry,
    PublishRouter publishRouter,
    LiveSubscriptions live,
    InboxStore inboxes,
    InboxRoutes routes,
    RetainStore retained,
    BooleanSupplier hasRoom,
    InstantSource clock,
    LocalNode self,
    ServingState servingState) {

  /** The limits of tenants without limits of their own, and of clients not yet authenticated. */
  SessionSettings settings() {
    return tenants.shared().session();
  }
}
