/**
 * Moves clients and leadership off a node: {@code Drain} before it stops, {@code
 * LeadershipHandover} while it stops, {@code NodeLifecycle} when its lease expires or its
 * incarnation ends.
 */
@NullMarked
package io.fjordmq.broker.drain;

import org.jspecify.annotations.NullMarked;
