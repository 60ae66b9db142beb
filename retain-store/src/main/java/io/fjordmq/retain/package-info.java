/**
 * The last retained message of each topic. Start at {@link io.fjordmq.retain.RetainStore}.
 *
 * <p>Replicated in the {@code retain} store. Knows neither routes nor sessions.
 */
@NullMarked
package io.fjordmq.retain;

import org.jspecify.annotations.NullMarked;
