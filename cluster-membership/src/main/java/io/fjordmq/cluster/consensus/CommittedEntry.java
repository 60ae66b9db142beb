package io.fjordmq.cluster.consensus;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A committed log entry.
 *
 * @param index position in the log; increases by one, but configuration entries leave gaps
 * @param term term in which the entry was appended
 * @param data read-only, valid only during {@link ReplicatedState#apply}
 * @param proposal the object passed to {@link Consensus#propose} if this replica proposed the entry
 *     since it was opened; otherwise null
 */
public record CommittedEntry(long index, long term, ByteBuffer data, @Nullable Proposal proposal) {}
