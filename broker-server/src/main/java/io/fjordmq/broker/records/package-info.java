/**
 * Records that operators create, change and delete through the API, on any node: accounts, bans,
 * traces, registered topics and the changed configuration.
 *
 * <p>The metadata group replicates these records, so every node has all of them in memory. This
 * package knows neither the values of the records nor HTTP.
 */
@NullMarked
package io.fjordmq.broker.records;

import org.jspecify.annotations.NullMarked;
