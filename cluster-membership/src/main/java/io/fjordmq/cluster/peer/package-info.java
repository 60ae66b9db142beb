/**
 * Calls between nodes: bytes to a named service of another node, and its answer.
 *
 * <p>Start at {@link io.fjordmq.cluster.peer.PeerCalls} (what callers see) and {@link
 * io.fjordmq.cluster.peer.PeerServices} (what those see who answer).
 *
 * <p>It must not know what the bytes mean, nor who is alive.
 */
@NullMarked
package io.fjordmq.cluster.peer;

import org.jspecify.annotations.NullMarked;
