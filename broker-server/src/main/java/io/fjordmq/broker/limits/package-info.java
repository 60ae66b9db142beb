/**
 * Overload protection, the limits of whole tenants and of single clients ({@code SessionSettings}),
 * and counts of what they refuse. The limits of a single client are enforced in {@code
 * broker.session}.
 *
 * <p>This package depends neither on sessions nor on sockets.
 */
@NullMarked
package io.fjordmq.broker.limits;

import org.jspecify.annotations.NullMarked;
