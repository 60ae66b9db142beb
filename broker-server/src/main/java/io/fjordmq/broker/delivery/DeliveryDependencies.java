package io.fjordmq.broker.delivery;

import io.fjordmq.broker.dispatch.DeliverySettings;
import io.fjordmq.broker.dispatch.LocalNode;
import io.fjordmq.broker.events.ClientHistory;
import io.fjordmq.broker.telemetry.MessageTracer;
import io.fjordmq.broker.topicmetrics.TopicTraffic;
import io.fjordmq.broker.trace.Tracer;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.retain.RetainStore;
import io.fjordmq.router.RouteStore;
import java.time.InstantSource;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The settings, stores and callbacks that delivery requires from its node.
 *
 * @param self this node, which owns the routes and inboxes of its clients
 * @param history records what happens to each client
 * @param tracer writes what happens to traced messages
 * @param retainedBarrier tracks the retained messages that are being stored
 * @param hasFreeDiskSpace whether there is enough disk space for messages that must be stored
 * @param isServing whether this node is sure to know all receivers, and no other node can consider
 *     its incarnation ended
 * @param clock the wall clock
 * @param topicTraffic counts messages of topics
 * @param spans begins the spans of traced wills; null if there are none
 */
public record DeliveryDependencies(
    LocalNode self,
    DeliverySettings settings,
    DeliveryObserver observer,
    ClientHistory history,
    Tracer tracer,
    RouteStore router,
    InboxStore inboxes,
    RetainStore retained,
    RetainedBarrier retainedBarrier,
    BooleanSupplier hasFreeDiskSpace,
    BooleanSupplier isServing,
    InstantSource clock,
    TopicTraffic topicTraffic,
    @Nullable MessageTracer spans) {}
