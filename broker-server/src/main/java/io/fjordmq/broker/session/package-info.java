/**
 * The handling of a connected MQTT client, from its CONNECT until its state is released. Start
 * reading at {@link io.fjordmq.broker.session.Session}, which is composed of parts that each handle
 * one kind of packet exchange; {@link io.fjordmq.broker.session.SessionHandler} dispatches incoming
 * packets to them.
 *
 * <p>A session belongs to one event loop, so its code needs no locks and must not block. The
 * package {@code broker.delivery} routes publishes; {@code broker.net} handles sockets and
 * listeners.
 */
@NullMarked
package io.fjordmq.broker.session;

import org.jspecify.annotations.NullMarked;
