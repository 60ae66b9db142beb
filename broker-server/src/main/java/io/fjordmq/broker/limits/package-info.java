/**
 * Overload protection, and the limits for tenants and for individual clients ({@code
 * SessionSettings}). {@code Limit} names the limits whose effects are counted. The limits for
 * individual clients are enforced in {@code broker.session}.
 *
 * <p>This package depends on neither sessions nor sockets.
 */
@NullMarked
package io.fjordmq.broker.limits;

import org.jspecify.annotations.NullMarked;
