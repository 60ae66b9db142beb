/**
 * What a plugin implements and what it is given.
 *
 * <p>A plugin is a jar in FjordMQ's {@code plugins} folder that names its classes in {@code
 * META-INF/services}. Start at {@link io.fjordmq.api.plugin.Authenticator}, {@link
 * io.fjordmq.api.plugin.EnhancedAuthenticator}, {@link io.fjordmq.api.plugin.Authorizer}, {@link
 * io.fjordmq.api.plugin.ClientEventListener} or {@link io.fjordmq.api.plugin.SplitStrategy}; {@code
 * docs/PLUGINS.md} shows a whole one. What the broker hands over is immutable and may be used from
 * any thread.
 */
@NullMarked
package io.fjordmq.api.plugin;

import org.jspecify.annotations.NullMarked;
