package io.fjordmq.inbox;

import io.fjordmq.range.ApplyContext;
import io.fjordmq.range.Coprocessor;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.kv.KvReader;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The inbox store inside one range replica: decodes, and lets commands and queries act. */
final class InboxCoprocessor implements Coprocessor {
  private final InboxMemory memory;
  private final Runnable onClose;
  private volatile @Nullable KeyInterval interval;

  /**
   * @param cachedInboxes inboxes to keep in memory
   * @param onClose called when the replica closes
   */
  InboxCoprocessor(int cachedInboxes, Runnable onClose) {
    this.memory = new InboxMemory(cachedInboxes);
    this.onClose = onClose;
  }

  @Override
  public void open(KeyInterval interval, KvReader state) {
    this.interval = interval;
    memory.open(interval, state);
  }

  @Override
  public void requireReadable(ByteBuffer command) {
    InboxCommand.requireReadable(command);
  }

  @Override
  public byte[] apply(ByteBuffer command, ApplyContext context) {
    return InboxCommand.decode(command).apply(new InboxTables(context, memory));
  }

  @Override
  public byte[] query(ByteBuffer query, KvReader state) {
    return InboxQuery.decode(query).answer(state, memory);
  }

  @Override
  public void close() {
    memory.clear();
    onClose.run();
  }

  /** Those of the range; null before it is open. May be called by any thread. */
  @Nullable KeyInterval keys() {
    return interval;
  }

  /** May be called by any thread. */
  InboxStoreStatus status() {
    return memory.totals().snapshot();
  }
}
