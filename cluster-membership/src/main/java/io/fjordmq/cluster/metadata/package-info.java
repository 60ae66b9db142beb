/**
 * The metadata group: the cluster's own truth, itself a Raft group.
 *
 * <p>Its state is a small map from names to bytes, kept in memory, whose records carry the version
 * they were last written at; writes are batches with expectations, all or nothing. Start at {@link
 * io.fjordmq.cluster.metadata.MetadataGroup} (what the node calls), then {@link
 * io.fjordmq.cluster.metadata.MetadataView} (what is read) and {@link
 * io.fjordmq.cluster.metadata.MetadataState} (what a replica applies).
 *
 * <p>It must not know what the layers above keep in it: they encode their records themselves and
 * own a prefix of the names each. Taken here: {@code cluster} and {@code node/}.
 */
@NullMarked
package io.fjordmq.cluster.metadata;

import org.jspecify.annotations.NullMarked;
