package io.fjordmq.cluster.consensus;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * An entry the group has agreed on.
 *
 * @param index its position; grows by one, but configuration entries leave gaps
 * @param term the term it was appended in
 * @param data read-only, valid only during {@link ReplicatedState#apply}
 * @param proposal the object given to {@link Consensus#propose} if it was proposed by this replica
 *     since it opened
 */
public record CommittedEntry(long index, long term, ByteBuffer data, @Nullable Proposal proposal) {}
