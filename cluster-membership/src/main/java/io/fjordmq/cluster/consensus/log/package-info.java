/**
 * The on-disk storage of consensus.
 *
 * <p>{@link io.fjordmq.cluster.consensus.log.SharedLog} is one RocksDB database for all groups of a
 * node; {@code LogKeys} defines its layout. {@link io.fjordmq.cluster.consensus.log.GroupLog} and
 * {@link io.fjordmq.cluster.consensus.log.GroupVote} are one group's view of it. Every append is
 * fsynced; groups that append at the same time share the fsync. This package depends neither on the
 * network nor on replicated states.
 */
@NullMarked
package io.fjordmq.cluster.consensus.log;

import org.jspecify.annotations.NullMarked;
