/**
 * The broker process: {@code Main} starts a {@code Node}, whose composition root {@code Broker}
 * builds all components in order and closes them in reverse.
 *
 * <p>Packages: {@code broker.config} (the only reader of files, environment and system properties),
 * {@code broker.net} (listeners and the Netty pipeline), {@code broker.session} (one connected
 * client), {@code broker.delivery} (the distribution of messages), {@code broker.nodes} (streams
 * between nodes), {@code broker.limits} (quotas and overload), {@code broker.security}
 * (authentication, access rules, plugins), {@code broker.sys} ($SYS topics), {@code broker.http}
 * (the HTTP port), {@code broker.ops} (metrics, status, operator commands).
 */
@NullMarked
package io.fjordmq.broker;

import org.jspecify.annotations.NullMarked;
