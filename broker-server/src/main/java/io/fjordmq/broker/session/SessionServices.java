package io.fjordmq.broker.session;

import io.fjordmq.broker.delivery.DeliveryAssembly;
import io.fjordmq.broker.delivery.InboxRoutes;
import io.fjordmq.broker.delivery.PublishRouter;
import io.fjordmq.broker.delivery.SessionRegistry;
import io.fjordmq.broker.dispatch.LiveSubscriptions;
import io.fjordmq.broker.dispatch.LocalNode;
import io.fjordmq.broker.limits.Overload;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.security.Security;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.retain.RetainStore;
import java.time.InstantSource;
import java.util.function.BooleanSupplier;

/**
 * The services that sessions use; shared by all sessions of a node.
 *
 * @param tenants limits and quotas of tenants
 * @param events listener for clients that connect and disconnect
 * @param observer receives measurements
 * @param security authentication and authorization
 * @param delivery publishing and delivery of messages
 * @param inboxes persistent sessions
 * @param retained messages for new subscriptions
 * @param node the state of this node
 */
public record SessionServices(
    Tenants tenants,
    ClientEvents events,
    SessionObserver observer,
    Security security,
    Delivery delivery,
    InboxStore inboxes,
    RetainStore retained,
    NodeState node) {

  /**
   * Publishing and delivery of messages.
   *
   * @param registry of connected clients
   * @param publishRouter publishes the messages of clients
   * @param live subscriptions of connected clients
   * @param routes to inboxes
   */
  public record Delivery(
      SessionRegistry registry,
      PublishRouter publishRouter,
      LiveSubscriptions live,
      InboxRoutes routes) {

    /** The delivery of a node. */
    public static Delivery of(DeliveryAssembly delivery) {
      return new Delivery(
          delivery.registry(), delivery.distribution(), delivery.live(), delivery.routes());
    }
  }

  /**
   * The state of this node.
   *
   * @param self this node, as the owner of inboxes
   * @param servingState whether it may serve clients
   * @param overload whether it is overloaded
   * @param hasFreeDiskSpace whether there is enough free disk space to store messages
   * @param clock wall clock
   */
  public record NodeState(
      LocalNode self,
      ServingState servingState,
      Overload overload,
      BooleanSupplier hasFreeDiskSpace,
      InstantSource clock) {}

  SessionRegistry registry() {
    return delivery.registry;
  }

  PublishRouter publishRouter() {
    return delivery.publishRouter;
  }

  LiveSubscriptions live() {
    return delivery.live;
  }

  InboxRoutes routes() {
    return delivery.routes;
  }

  LocalNode self() {
    return node.self;
  }

  ServingState servingState() {
    return node.servingState;
  }

  Overload overload() {
    return node.overload;
  }

  BooleanSupplier hasFreeDiskSpace() {
    return node.hasFreeDiskSpace;
  }

  InstantSource clock() {
    return node.clock;
  }

  /** The limits of tenants without limits of their own, and of clients not yet authenticated. */
  SessionSettings settings() {
    return tenants.shared().session();
  }
}
