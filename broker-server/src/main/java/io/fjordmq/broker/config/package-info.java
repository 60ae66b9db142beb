/**
 * The configuration of a node. Start reading at {@link io.fjordmq.broker.config.BrokerConfig},
 * which defines every key, and {@link io.fjordmq.broker.config.ConfigLoader}, which defines the
 * sources of values and their precedence.
 *
 * <p>No other package reads the configuration file, the environment or system properties. The keys
 * are the components of the records in this package and of the settings records in other packages
 * and modules. This package does not start any components.
 */
@NullMarked
package io.fjordmq.broker.config;

import org.jspecify.annotations.NullMarked;
