/**
 * The HTTP port of a node: metrics, health, status, the web page and the API. Start reading at
 * {@link io.fjordmq.broker.http.HttpServer}; {@code PageHandler} maps paths to pages.
 *
 * <p>Jetty serves the connections on its own threads, separate from those of MQTT. Jetty types are
 * not used outside this package. The memory that HTTP clients can occupy is bounded by {@link
 * io.fjordmq.broker.http.HttpSettings}.
 */
@NullMarked
package io.fjordmq.broker.http;

import org.jspecify.annotations.NullMarked;
