/**
 * Calls between nodes: a request as bytes to a named service of another node, and its response.
 *
 * <p>Start at {@link io.fjordmq.cluster.peer.PeerCalls} (the calling side) and {@link
 * io.fjordmq.cluster.peer.PeerServices} (the serving side).
 *
 * <p>{@link io.fjordmq.cluster.peer.PeerPort} implements both with gRPC. The client side has a
 * {@code NodeLink} for each other node, with a {@code ClientStream} while it is connected. On the
 * server side, each connection is a {@code ServerStream} of the {@code PeerServer}. {@code
 * peer.proto} defines the messages, and {@code PeerProtocol} encodes them. {@link
 * io.fjordmq.cluster.peer.HelloClient} identifies the nodes behind addresses.
 *
 * <p>This package does not interpret requests and does not track which nodes are alive.
 */
@NullMarked
package io.fjordmq.cluster.peer;

import org.jspecify.annotations.NullMarked;
