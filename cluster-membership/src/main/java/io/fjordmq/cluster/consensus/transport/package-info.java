/**
 * The network transport of consensus.
 *
 * <p>{@link io.fjordmq.cluster.consensus.transport.RaftTransport} exchanges {@code RaftFrame}s over
 * one connection from each node to every other node. A replica that is too far behind fetches a
 * snapshot with {@code SnapshotFetch}, which resumes after an interruption; {@code SnapshotExports}
 * serves it.
 */
@NullMarked
package io.fjordmq.cluster.consensus.transport;

import org.jspecify.annotations.NullMarked;
