/**
 * What protects the node and its tenants from too much: the limits of a tenant as a whole and the
 * count of what they refuse. The limits of one client stand in {@code broker.session}, where they
 * are kept.
 *
 * <p>Knows neither sessions nor sockets.
 */
@NullMarked
package io.fjordmq.broker.limits;

import org.jspecify.annotations.NullMarked;
