/**
 * The words every module shares: topics, topic filters, messages, subscription options.
 *
 * <p>Start at {@link io.fjordmq.api.Message}. This package depends on nothing and knows neither
 * Netty, nor storage, nor the cluster; plugin authors compile against it alone. Everything here is
 * an immutable value and may be used from any thread.
 */
@NullMarked
package io.fjordmq.api;

import org.jspecify.annotations.NullMarked;
