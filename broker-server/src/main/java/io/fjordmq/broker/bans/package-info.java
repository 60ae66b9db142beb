/**
 * Bans: clients that must not connect, by client identifier, user name or address.
 *
 * <p>Bans are records of the metadata group, so every node has all of them in memory. This package
 * knows neither HTTP nor sessions.
 */
@NullMarked
package io.fjordmq.broker.bans;

import org.jspecify.annotations.NullMarked;
