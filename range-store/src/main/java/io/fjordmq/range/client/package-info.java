/**
 * The client side of ranges: routing by key, batching and retries.
 *
 * <p>Start at {@link io.fjordmq.range.client.RoutedRangeClient}, then {@link
 * io.fjordmq.range.client.MutationBatcher}, which turns the commands for a range into numbered
 * batches. This package reaches replicas only through {@link io.fjordmq.range.RangeTransport}.
 */
@NullMarked
package io.fjordmq.range.client;

import org.jspecify.annotations.NullMarked;
