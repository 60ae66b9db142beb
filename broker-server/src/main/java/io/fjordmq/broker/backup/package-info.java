/**
 * Backups of the cluster. {@link io.fjordmq.broker.backup.Backups} collects the data of all ranges,
 * and records of the metadata, in one directory on the node that receives the request, or in object
 * storage ({@link io.fjordmq.broker.backup.BackupStorage}). {@link
 * io.fjordmq.broker.backup.RangeSource} reads ranges of this node for other nodes. {@link
 * io.fjordmq.broker.backup.StoredBackup} checks and reads a backup, and {@link
 * io.fjordmq.broker.backup.Restore} makes the contents of a new cluster from it, at the first start
 * of a node whose data directory has a {@link io.fjordmq.broker.backup.RestoreRequest}.
 *
 * <p>For the reasons behind the design, see docs/decisions/0100 and 0114.
 */
@NullMarked
package io.fjordmq.broker.backup;

import org.jspecify.annotations.NullMarked;
