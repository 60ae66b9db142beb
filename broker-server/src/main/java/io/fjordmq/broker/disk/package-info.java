/**
 * The disk of this node. {@code NodeDisk} measures free space and write latency, and decides
 * whether messages may be stored and whether the node leads ranges (decisions 0017 and 0023).
 */
@NullMarked
package io.fjordmq.broker.disk;

import org.jspecify.annotations.NullMarked;
