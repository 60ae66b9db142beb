package io.fjordmq.broker.simulation;

import io.fjordmq.range.kv.KvBatch;
import io.fjordmq.range.kv.KvSpace;
import io.fjordmq.range.kv.SimKv;
import java.nio.ByteBuffer;

/** What one range remembers of its senders, as rows of a node's storage. */
final class SenderRows {
  private static final byte ENGINE = 0;
  private static final byte SENDER = 3;

  private final KvSpace space;
  private final long number;

  private SenderRows(KvSpace space, long number) {
    this.space = space;
    this.number = number;
  }

  /**
   * @param group of the range: its store, "-", its number
   */
  static SenderRows of(SimKv kv, String group) {
    int dash = group.lastIndexOf('-');
    long number = Long.parseLong(group.substring(dash + 1));
    return new SenderRows(kv.space(group.substring(0, dash)), number);
  }

  void remove() {
    KvBatch batch = new KvBatch();
    space
        .latest()
        .scan(
            new byte[0],
            null,
            (row, value) -> {
              boolean ofRange =
                  row[0] == ENGINE && ByteBuffer.wrap(row).getLong(1) == number && row[9] == SENDER;
              if (ofRange) {
                batch.delete(row);
              }
              return true;
            });
    space.write(batch);
  }
}
