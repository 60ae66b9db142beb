package io.fjordmq.broker.backup;

import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeId;

/**
 * The data of one range in a backup.
 *
 * @param id the range in the cluster that was backed up
 * @param epochVersion version of its epoch
 * @param appliedIndex index of the last log entry whose changes are included
 * @param keys the keys that the file holds. After a split or merge during the backup, these are not
 *     all keys of the range
 */
record BackupRange(
    BackupFile file, RangeId id, long epochVersion, long appliedIndex, KeyInterval keys) {}
