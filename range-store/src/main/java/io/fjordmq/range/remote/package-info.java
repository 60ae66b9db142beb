/**
 * Access to ranges of other nodes: requests and results of the peer service {@code range}.
 *
 * <p>Start at {@link io.fjordmq.range.remote.PeerRangeTransport}, the calling side, and {@link
 * io.fjordmq.range.remote.RangeService}, the serving side.
 *
 * <p>This package neither routes nor retries; the range client does.
 */
@NullMarked
package io.fjordmq.range.remote;

import org.jspecify.annotations.NullMarked;
