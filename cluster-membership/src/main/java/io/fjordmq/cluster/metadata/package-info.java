/**
 * The metadata group: the Raft group that replicates the cluster-wide state to all nodes.
 *
 * <p>Its state is a small in-memory map from keys to bytes. Each record carries the version at
 * which it was last written. Writes are atomic batches with expected versions (compare-and-set).
 * Start at {@link io.fjordmq.cluster.metadata.MetadataGroup} (the API), then read {@link
 * io.fjordmq.cluster.metadata.MetadataView} (what readers see) and {@link
 * io.fjordmq.cluster.metadata.MetadataState} (what a replica applies).
 *
 * <p>The group itself does not interpret records. Higher layers encode their records themselves,
 * and each owns a key prefix. This package uses {@code cluster}, {@code node/} and {@code start/}.
 */
@NullMarked
package io.fjordmq.cluster.metadata;

import org.jspecify.annotations.NullMarked;
