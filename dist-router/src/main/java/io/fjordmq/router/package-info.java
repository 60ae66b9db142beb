/**
 * Topic filter to receivers. Start at {@link io.fjordmq.router.Router}.
 *
 * <p>Routes are replicated in the {@code dist} store; every node derives a trie from them and
 * matches a PUBLISH without a network hop. Knows neither inboxes nor retained messages nor
 * connections: a receiver is a name here.
 *
 * <p>Reading order. The replicated half: {@link io.fjordmq.router.RangedRouter} makes a {@code
 * RouteCommand} of each call, {@code RouterCoprocessor} applies it to rows ({@code RouteCodec}
 * draws their bytes) and to the node's {@code RouteTable}. The half in memory: {@code RouteTable}
 * keeps the routes of each pattern ({@code PatternRoutes}) in a {@link
 * io.fjordmq.router.FilterTable}, which finds patterns by topic ({@code FilterTrie}), has {@code
 * RouteMerge} make one result of them, and remembers it in a {@code TopicCache} until a pattern
 * that matches is changed ({@code TopicIndex} finds what to forget). Why no match is stale stands
 * in {@link io.fjordmq.router.FilterTable}.
 */
@NullMarked
package io.fjordmq.router;

import org.jspecify.annotations.NullMarked;
