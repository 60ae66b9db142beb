package io.fjordmq.broker.backup;

import io.fjordmq.range.RangeDescriptor;

/**
 * A range that a node has opened for a backup.
 *
 * @param export the number of the export on that node
 */
record ExportedRange(long export, RangeDescriptor descriptor, long appliedIndex) {}
