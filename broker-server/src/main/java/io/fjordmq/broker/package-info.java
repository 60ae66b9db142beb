/**
 * The broker process: {@code Main}, and {@code Broker}, the composition root that builds every part
 * in order and closes them in reverse.
 *
 * <p>Packages: {@code broker.config} (the only reader of files, environment and system properties),
 * {@code broker.net} (listeners and the Netty pipeline), {@code broker.session} (one connected
 * client), {@code broker.delivery} (what a PUBLISH means), {@code broker.ops} (metrics, health,
 * logs).
 */
@NullMarked
package io.fjordmq.broker;

import org.jspecify.annotations.NullMarked;
