/**
 * Converts the configuration of mosquitto. {@code Directives} is a table of all directives of
 * mosquitto 1.6 to 2.1.
 *
 * <p>Start at {@link io.fjordmq.broker.mosquitto.MosquittoImport}.
 */
@NullMarked
package io.fjordmq.broker.mosquitto;

import org.jspecify.annotations.NullMarked;
