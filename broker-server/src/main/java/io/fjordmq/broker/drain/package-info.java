/**
 * Moves clients and leadership off a node: {@code Drain} does so before the node stops, {@code
 * LeadershipHandover} while it stops, and {@code NodeLifecycle} when its lease expires or its
 * incarnation ends.
 */
@NullMarked
package io.fjordmq.broker.drain;

import org.jspecify.annotations.NullMarked;
