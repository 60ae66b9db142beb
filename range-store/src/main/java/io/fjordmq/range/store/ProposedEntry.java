package io.fjordmq.range.store;

import io.fjordmq.api.MalformedBytesException;
import io.fjordmq.range.Coprocessor;
import io.fjordmq.range.RangeEntry;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Looks at an entry before it gets into the log: there every replica has to apply it. */
final class ProposedEntry {
  private ProposedEntry() {}

  /** Why it may not get there; null if it may. */
  static @Nullable String refusal(byte[] entry, int maxBytes, Coprocessor coprocessor) {
    if (entry.length > maxBytes) {
      return "entry of " + entry.length + " bytes is too large";
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
