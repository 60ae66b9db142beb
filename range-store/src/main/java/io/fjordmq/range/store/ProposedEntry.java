package io.fjordmq.range.store;

import io.fjordmq.api.MalformedBytesException;
import io.fjordmq.range.Coprocessor;
import io.fjordmq.range.RangeEntry;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Checks an entry before it is proposed, since every replica has to apply whatever is in the log.
 */
final class ProposedEntry {
  private ProposedEntry() {}

  /** Why the entry must not be proposed; null if it may. */
  static @Nullable String refusal(byte[] entry, int maxBytes, Coprocessor coprocessor) {
    if (entry.length > maxBytes) {
      return "entry of " + entry.length + " bytes exceeds the maximum of " + maxBytes;
    }
    try {
      if (RangeEntry.decode(ByteBuffer.wrap(entry)) instanceof RangeEntry.Mutations mutations) {
        mutations.commands().forEach(coprocessor::requireReadable);
      }
      return null;
    } catch (MalformedBytesException e) {
      return String.valueOf(e.getMessage());
    }
  }
}
