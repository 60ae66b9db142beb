/**
 * Ranges of other nodes: attempts of clients and their results as bytes of the peer service {@code
 * range}.
 *
 * <p>Start at {@link io.fjordmq.range.remote.PeerRangeTransport} (who asks) and {@link
 * io.fjordmq.range.remote.RangeService} (who answers).
 *
 * <p>It must not know who should hold what, nor retry: that is the range client's.
 */
@NullMarked
package io.fjordmq.range.remote;

import org.jspecify.annotations.NullMarked;
