package io.fjordmq.retain;

import io.fjordmq.range.ApplyContext;
import io.fjordmq.range.Coprocessor;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.kv.KvReader;
import java.nio.ByteBuffer;

/** The retain store inside one range replica: decodes and executes commands and queries. */
final class RetainCoprocessor implements Coprocessor {
  private final RetainMemory memory;
  private final Runnable onClose;

  /**
   * Creates a coprocessor.
   *
   * @param budget memory budget for the topic index
   * @param onClose called when the replica closes
   */
  RetainCoprocessor(IndexMemory budget, Runnable onClose) {
    this.memory = new RetainMemory(budget);
    this.onClose = onClose;
  }

  @Override
  public void open(KeyInterval interval, KvReader state) {
    memory.open(interval, state);
  }

  @Override
  public void requireReadable(ByteBuffer command) {
    RetainCommand.requireReadable(command);
  }

  @Override
  public byte[] apply(ByteBuffer command, ApplyContext context) {
    byte[] response = RetainCommand.decode(command).apply(new RetainRows(context, memory));
    memory.updateFirstDue();
    return response;
  }

  @Override
  public byte[] query(ByteBuffer query, KvReader state) {
    return RetainQuery.decode(query).execute(state, memory);
  }

  @Override
  public void close() {
    memory.clear();
    onClose.run();
  }

  /** Returns the memory of the replica. Any thread may call those of its methods that say so. */
  RetainMemory memory() {
    return memory;
  }
}
