/**
 * Retained messages: the last one of each topic. Start at {@link io.fjordmq.retain.RetainStore}.
 *
 * <p>The messages are replicated in the {@code retain} store. This package knows nothing about
 * routes or sessions.
 */
@NullMarked
package io.fjordmq.retain;

import org.jspecify.annotations.NullMarked;
