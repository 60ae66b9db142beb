/**
 * Monitors the disk of this node. {@code NodeDisk} measures free space and write latency, and
 * decides whether the node accepts messages that must be stored and whether it leads ranges
 * (decisions 0017 and 0023).
 */
@NullMarked
package io.fjordmq.broker.disk;

import org.jspecify.annotations.NullMarked;
