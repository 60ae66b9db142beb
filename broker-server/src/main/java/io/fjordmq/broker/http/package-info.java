/**
 * The HTTP port of a node: metrics, health and status. Start at {@link
 * io.fjordmq.broker.http.HttpServer}; {@code PageHandler} maps paths to pages.
 *
 * <p>Jetty serves the connections on threads of its own, apart from those of MQTT. Its types stay
 * in this package. The memory that clients can occupy is bounded by {@link
 * io.fjordmq.broker.http.HttpSettings}.
 */
@NullMarked
package io.fjordmq.broker.http;

import org.jspecify.annotations.NullMarked;
