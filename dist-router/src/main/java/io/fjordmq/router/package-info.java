/**
 * Maps topics to the receivers of their messages. Start at {@link io.fjordmq.router.RouteStore},
 * which the broker calls.
 *
 * <p>Routes are replicated in the {@code dist} store. Every node derives a trie from its replicas
 * and matches a PUBLISH without a network hop. To this package a receiver is only a name; it does
 * not depend on inboxes, retained messages or connections. Its parts have the same names as in
 * every other store:
 *
 * <ul>
 *   <li>{@code RouteCoprocessor} decodes a {@code RouteCommand}, which applies itself to {@code
 *       RouteRows}: the rows, in the formats of {@code RouteKeys} and {@code RouteRow}, and the
 *       {@code RouteTable} of the node. The result depends only on the rows and the command.
 *   <li>{@code RouteTable} holds the routes of each pattern ({@code PatternRoutes}) and merges
 *       those of the patterns that match a topic ({@code RouteMerge}). {@code AppliedRoutes} tracks
 *       how complete the table is.
 *   <li>{@link io.fjordmq.router.FilterTable} finds the patterns that match a topic. It combines a
 *       trie ({@code FilterTrie}) and a cache of its results ({@code TopicCache}), which it
 *       invalidates exactly ({@code TopicIndex}), and its documentation explains why a match is
 *       never stale.
 *   <li>{@link io.fjordmq.router.RouteReplicas} registers the store.
 * </ul>
 *
 * <p>The subpackage {@code client} calls the ranges and proposes their maintenance.
 */
@NullMarked
package io.fjordmq.router;

import org.jspecify.annotations.NullMarked;
