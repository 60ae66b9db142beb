/**
 * Overload protection, limits for tenants and for individual clients ({@code SessionSettings}), and
 * counters of the times these limits took effect. The limits for individual clients are enforced in
 * {@code broker.session}.
 *
 * <p>This package depends on neither sessions nor sockets.
 */
@NullMarked
package io.fjordmq.broker.limits;

import org.jspecify.annotations.NullMarked;
