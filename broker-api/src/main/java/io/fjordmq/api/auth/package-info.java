/**
 * Authentication and authorization providers, such as a database or an HTTP service. The broker
 * finds the kinds of providers with {@link java.util.ServiceLoader}, opens those that are
 * configured, and calls them with time limits, bounded queues and caches.
 *
 * <p>Unlike a plugin, a kind of provider can be configured several times, each with its own
 * settings.
 */
@NullMarked
package io.fjordmq.api.auth;

import org.jspecify.annotations.NullMarked;
