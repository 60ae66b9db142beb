/**
 * Topic filter to receivers. Start at {@link io.fjordmq.router.Router}.
 *
 * <p>Routes are replicated in the {@code dist} store; every node derives a trie from them and
 * matches a PUBLISH without a network hop. Knows neither inboxes nor retained messages nor
 * connections: a receiver is a name here.
 */
@NullMarked
package io.fjordmq.router;

import org.jspecify.annotations.NullMarked;
