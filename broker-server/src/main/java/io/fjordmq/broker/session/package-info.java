/**
 * One connected MQTT client, from its CONNECT until its state is released. Start with {@link
 * io.fjordmq.broker.session.Session}, which is composed of parts that each handle one direction of
 * one packet exchange; {@link io.fjordmq.broker.session.SessionHandler} dispatches incoming packets
 * to them.
 *
 * <p>A session belongs to one event loop, so its code neither locks nor blocks. Routing of
 * publishes is left to {@code broker.delivery}, sockets and listeners to {@code broker.net}.
 */
@NullMarked
package io.fjordmq.broker.session;

import org.jspecify.annotations.NullMarked;
