/**
 * Configuration that operators change while nodes run. The values are replicated in the metadata
 * group; each node combines them with its own file, environment and system properties, and passes
 * the result to the components that can change.
 *
 * <p>Start at {@link io.fjordmq.broker.settings.RuntimeSettings}.
 */
@NullMarked
package io.fjordmq.broker.settings;

import org.jspecify.annotations.NullMarked;
