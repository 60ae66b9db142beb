/**
 * Maps topics to the receivers of their messages. Start at {@link io.fjordmq.router.Router}.
 *
 * <p>Routes are replicated in the {@code dist} store. Every node derives a trie from them and
 * matches a PUBLISH without a network hop. A receiver is only a name here: this package knows
 * neither inboxes nor retained messages nor connections.
 *
 * <p>The replicated part: {@link io.fjordmq.router.RangedRouter} encodes each call as a {@code
 * RouteCommand}; {@code RouterCoprocessor} applies it to rows, whose format is in {@code
 * RouteCodec}, and to the node's {@code RouteTable}.
 *
 * <p>The part in memory: {@code RouteTable} holds the routes of each pattern ({@code
 * PatternRoutes}) in a {@link io.fjordmq.router.FilterTable}, which finds the patterns that match a
 * topic ({@code FilterTrie}) and merges their routes ({@code RouteMerge}). It caches the result
 * ({@code TopicCache}) until a matching pattern changes ({@code TopicIndex} finds the topics to
 * invalidate). {@link io.fjordmq.router.FilterTable} explains why a match is never stale.
 */
@NullMarked
package io.fjordmq.router;

import org.jspecify.annotations.NullMarked;
