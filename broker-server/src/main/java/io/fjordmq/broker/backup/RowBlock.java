package io.fjordmq.broker.backup;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.range.store.RowFile;
import java.io.IOException;

/**
 * Rows of a range on their way between nodes.
 *
 * @param rows for each row: block key, block value
 * @param hasMore whether more rows of the range follow
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record RowBlock(byte[] rows, boolean hasMore) {
  static void append(ByteWriter out, byte[] key, byte[] value) {
    out.writeBlock(key).writeBlock(value);
  }

  void visit(RowFile.RowVisitor visitor) throws IOException {
    ByteReader in = new ByteReader(rows);
    while (in.remaining() > 0) {
      visitor.visit(in.readBlock(), in.readBlock());
    }
  }
}
