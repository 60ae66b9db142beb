/**
 * One connected MQTT client: from its CONNECT to the moment its state is given back. Start at
 * {@link io.fjordmq.broker.session.Session}, which is composed of parts that each know one half of
 * one conversation; {@link io.fjordmq.broker.session.SessionHandler} says which packet goes to
 * which.
 *
 * <p>A session belongs to one event loop: nothing here locks, nothing here waits. What a PUBLISH
 * means is not known here ({@code broker.delivery} knows), nor are sockets and listeners ({@code
 * broker.net} knows).
 */
@NullMarked
package io.fjordmq.broker.session;

import org.jspecify.annotations.NullMarked;
