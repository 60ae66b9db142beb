/**
 * Calls the ranges of the {@code dist} store. {@link io.fjordmq.router.client.ReplicatedRouteStore}
 * sends commands and matches against the routes of this node; {@link
 * io.fjordmq.router.client.RouteBarrier} waits until every node has applied a route, and learns
 * which nodes have {@link io.fjordmq.router.client.UnstoredPublishes}; {@link
 * io.fjordmq.router.client.RouteSweeper} removes the routes of ended incarnations.
 */
@NullMarked
package io.fjordmq.router.client;

import org.jspecify.annotations.NullMarked;
