package io.fjordmq.retain;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.retain.RetainStore.PutOutcome;

/** Removes the retained message of a topic. The response is that of {@link PutMessage}. */
@SuppressWarnings("ArrayRecordComponent") // never compared by value
public record ClearTopic(byte[] key, RetainPublisher retainPublisher) implements RetainCommand {
  /*
   *   .. publisher    not in version 1
   *   b  key
   */
  static final int KIND = 2;

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public int expectedBytes() {
    return 8 + RetainPublisher.MAX_BYTES + key.length;
  }

  @Override
  public void write(ByteWriter out) {
    retainPublisher.write(out);
    out.writeBlock(key);
  }

  static ClearTopic read(ByteReader in, boolean hasPublisher) {
    RetainPublisher publisher = hasPublisher ? RetainPublisher.read(in) : RetainPublisher.NONE;
    return new ClearTopic(in.readBlock(), publisher);
  }

  @Override
  public byte[] apply(RetainRows rows) {
    byte[] found = rows.find(key);
    RetainRow.Head head = found == null ? null : RetainRow.headOf(found);
    if (head != null && head.retainPublisher().isAfter(retainPublisher)) {
      return PutMessage.response(PutOutcome.SUPERSEDED);
    }
    if (found != null && head != null) {
      rows.remove(key, found, head);
    }
    rows.putClearMarker(key, retainPublisher);
    return PutMessage.response(PutOutcome.CLEARED);
  }
}
