/**
 * Opens the configured authentication and authorization providers, and protects the broker from
 * them: time limits, bounded queues, circuit breakers and caches. Nothing here runs on event loops
 * for longer than it takes to look up a cached result or to queue a call.
 */
@NullMarked
package io.fjordmq.broker.providers;

import org.jspecify.annotations.NullMarked;
