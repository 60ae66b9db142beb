package io.fjordmq.inbox;

import io.fjordmq.range.ApplyContext;
import io.fjordmq.range.Coprocessor;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.kv.KvReader;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The inbox store inside one range replica: decodes and executes commands and queries. */
final class InboxCoprocessor implements Coprocessor {
  private final InboxMemory memory;
  private final Runnable onClose;
  private volatile @Nullable KeyInterval interval;

  /**
   * Creates a coprocessor.
   *
   * @param cachedInboxes maximum number of inboxes to cache
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
    return InboxCommand.decode(command).apply(new InboxRows(context, memory));
  }

  @Override
  public byte[] query(ByteBuffer query, KvReader state) {
    return InboxQuery.decode(query).execute(state, memory);
  }

  @Override
  public void close() {
    memory.clear();
    onClose.run();
  }

  /**
   * Returns the key interval of the range; null before the replica is open. Any thread may call
   * this method.
   */
  @Nullable KeyInterval keys() {
    return interval;
  }

  /** Any thread may call this method. */
  InboxStoreStatus status() {
    return memory.totals().snapshot();
  }
}
