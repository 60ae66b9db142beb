/**
 * Calls between nodes: bytes to a named service of another node, and its answer.
 *
 * <p>Start at {@link io.fjordmq.cluster.peer.PeerCalls} (what callers see) and {@link
 * io.fjordmq.cluster.peer.PeerServices} (what those see who answer).
 *
 * <p>{@link io.fjordmq.cluster.peer.PeerPort} is both, on gRPC. The asking end is a {@code
 * NodeLink} for each other node, with an {@code AskingStream} while it is connected; the answering
 * end an {@code AnsweringStream} of the {@code PeerServer}. {@code peer.proto} draws the messages,
 * {@code PeerProtocol} makes them. {@link io.fjordmq.cluster.peer.Greeter} asks who is at an
 * address.
 *
 * <p>It must not know what the bytes mean, nor who is alive.
 */
@NullMarked
package io.fjordmq.cluster.peer;

import org.jspecify.annotations.NullMarked;
