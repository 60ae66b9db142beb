package io.fjordmq.broker.session;

import io.fjordmq.broker.bans.BanList;
import io.fjordmq.broker.delivery.DeliveryAssembly;
import io.fjordmq.broker.delivery.InboxRoutes;
import io.fjordmq.broker.delivery.PublishRouter;
import io.fjordmq.broker.delivery.RetainedBarrier;
import io.fjordmq.broker.delivery.SessionRegistry;
import io.fjordmq.broker.dispatch.LiveSubscriptions;
import io.fjordmq.broker.dispatch.LocalNode;
import io.fjordmq.broker.events.ClientHistory;
import io.fjordmq.broker.limits.Overload;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.security.Security;
import io.fjordmq.broker.slow.SlowSubscriptions;
import io.fjordmq.broker.telemetry.MessageTracer;
import io.fjordmq.broker.topicmetrics.TopicTraffic;
import io.fjordmq.broker.trace.Tracer;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.retain.RetainStore;
import java.time.InstantSource;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The services used by sessions. They are shared by all sessions of a node.
 *
 * @param tenants limits and quotas of tenants
 * @param events listener for clients that connect and disconnect
 * @param history records what happens to each client
 * @param tracer writes what happens to traced clients and messages
 * @param observer receives events for metrics
 * @param security authentication and authorization
 * @param delivery publishing and delivery of messages
 * @param inboxes the store of persistent sessions
 * @param retained the store of retained messages, which new subscriptions receive
 * @param node the state of this node
 * @param slowSubscriptions records delivery latencies
 */
public record SessionServices(
    Tenants tenants,
    ClientEvents events,
    ClientHistory history,
    Tracer tracer,
    SessionObserver observer,
    Security security,
    Delivery delivery,
    InboxStore inboxes,
    RetainStore retained,
    NodeState node,
    SlowSubscriptions slowSubscriptions) {

  /**
   * Publishing and delivery of messages.
   *
   * @param registry the registry of connected clients
   * @param publishRouter publishes the messages of clients
   * @param live the subscriptions of connected clients
   * @param routes the routes to inboxes
   * @param retainedBarrier waits for retained messages that are being stored
   * @param tracer begins the spans of traced messages; null if there are none
   * @param topicTraffic counts messages of topics
   */
  public record Delivery(
      SessionRegistry registry,
      PublishRouter publishRouter,
      LiveSubscriptions live,
      InboxRoutes routes,
      RetainedBarrier retainedBarrier,
      @Nullable MessageTracer tracer,
      TopicTraffic topicTraffic) {

    /** Returns the services of a node's delivery, without traces. */
    public static Delivery of(DeliveryAssembly delivery) {
      return of(delivery, null);
    }

    /** Returns the services of a node's delivery. */
    public static Delivery of(DeliveryAssembly delivery, @Nullable MessageTracer tracer) {
      return new Delivery(
          delivery.registry(),
          delivery.distribution(),
          delivery.live(),
          delivery.routes(),
          delivery.retainedBarrier(),
          tracer,
          delivery.topicTraffic());
    }
  }

  /**
   * The state of this node.
   *
   * @param self this node, which owns the inboxes of its clients
   * @param servingState whether this node may serve clients
   * @param overload whether this node is overloaded
   * @param hasFreeDiskSpace whether there is enough free disk space to store messages
   * @param clock the wall clock
   * @param bans the clients that must not connect
   */
  public record NodeState(
      LocalNode self,
      ServingState servingState,
      Overload overload,
      BooleanSupplier hasFreeDiskSpace,
      InstantSource clock,
      BanList bans) {}

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

  RetainedBarrier retainedBarrier() {
    return delivery.retainedBarrier;
  }

  @Nullable MessageTracer messageTracer() {
    return delivery.tracer;
  }

  TopicTraffic topicTraffic() {
    return delivery.topicTraffic;
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

  BanList bans() {
    return node.bans;
  }

  /**
   * The limits of tenants that do not have their own limits, and of clients that are not
   * authenticated yet.
   */
  SessionSettings settings() {
    return tenants.shared().session();
  }
}
