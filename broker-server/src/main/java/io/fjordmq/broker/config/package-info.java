/**
 * The configuration of a node. Start at {@link io.fjordmq.broker.config.BrokerConfig} (every key)
 * and {@link io.fjordmq.broker.config.ConfigLoader} (the sources of values and their precedence).
 *
 * <p>The only package that reads the configuration file, the environment or system properties. The
 * keys are the components of records: those here and the settings records of the other packages and
 * modules. Nothing here starts anything.
 */
@NullMarked
package io.fjordmq.broker.config;

import org.jspecify.annotations.NullMarked;
