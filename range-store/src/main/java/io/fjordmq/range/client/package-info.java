/**
 * How a store calls its ranges: routing, coalescing, retries.
 *
 * <p>Start at {@link io.fjordmq.range.client.RoutedRangeClient}, then {@link
 * io.fjordmq.range.client.MutationBatcher} (how commands of one range become numbered batches).
 * Sees replicas only through {@link io.fjordmq.range.RangeTransport}.
 */
@NullMarked
package io.fjordmq.range.client;

import org.jspecify.annotations.NullMarked;
