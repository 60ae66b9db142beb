/**
 * Extension points that plugins implement, and the types that the broker passes to them.
 *
 * <p>A plugin is a jar in FjordMQ's {@code plugins} directory that names its classes in {@code
 * META-INF/services}. Start at {@link io.fjordmq.api.plugin.Authenticator}, {@link
 * io.fjordmq.api.plugin.EnhancedAuthenticator}, {@link io.fjordmq.api.plugin.Authorizer}, {@link
 * io.fjordmq.api.plugin.ClientEventListener} or {@link io.fjordmq.api.plugin.SplitStrategy}; {@code
 * docs/PLUGINS.md} contains a complete example. The objects that the broker passes to plugins are
 * immutable and may be used from any thread.
 */
@NullMarked
package io.fjordmq.api.plugin;

import org.jspecify.annotations.NullMarked;
