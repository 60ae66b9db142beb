/**
 * The broker process: {@code Main} starts a {@code Node}, whose composition root {@code Broker}
 * opens its stages in this order and closes them in reverse: {@code Storage}, {@code ClusterNode},
 * {@code ReplicatedStores}, {@code ClientServices}, {@code Operations}. No other package depends on
 * this one.
 *
 * <p>The packages on the path of a message, from the socket to the subscriber, are {@code
 * broker.net} (listeners), {@code broker.protocol} (MQTT packets), {@code broker.session} (one
 * connected client), {@code broker.delivery} (finding the receivers of a message), {@code
 * broker.dispatch} (deliveries to the clients of this node) and {@code broker.nodes} (streams
 * between nodes).
 *
 * <p>The other packages are {@code broker.config} (the only reader of the configuration file,
 * environment variables and system properties), {@code broker.security} (authentication, access
 * rules, plugins), {@code broker.limits} (quotas and overload), {@code broker.sys} ($SYS topics),
 * {@code broker.http} (the HTTP port), {@code broker.ops} (metrics, status, control directory),
 * {@code broker.lifecycle}, {@code broker.cluster}, {@code broker.disk}, {@code broker.drain} and
 * {@code broker.admin} (the node itself), and {@code broker.training} (the load with which the
 * build trains the AOT cache).
 */
@NullMarked
package io.fjordmq.broker;

import org.jspecify.annotations.NullMarked;
