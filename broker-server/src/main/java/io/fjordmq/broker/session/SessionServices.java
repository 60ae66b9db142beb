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
 * What sessions work with; shared by all of them.
 *
 * @param tenants their limits and what they have used of them
 * @param overload whether new work is taken
 * @param events is told who comes and goes
 * @param observer is told everything worth counting
 * @param security says who may connect and do what
 * @param registry of connected clients
 * @param publisher of what clients publish
 * @param live subscriptions of connected clients
 * @param inboxes persistent sessions
 * @param routes to inboxes
 * @param retained messages for new subscriptions
 * @param hasRoom whether the disk has room for what must be stored
 * @param clock wall clock
 * @param self this node, as the owner of inboxes
 * @param serving whether clients may be served
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

  /** The limits of a client whose tenant is not known yet, and of most tenants. */
  SessionSettings settings() {
    return tenants.shared().session();
  }
}
