package io.fjordmq.broker.admin;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.NewerFormatException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The response to a {@link NodeRequest}: rows of strings. Readers ignore unknown cells. */
final class NodeRows {
  /*
   *   1  version 1
   *   v  number of rows
   *   .. each row: v number of cells | each cell: 1 whether it is present | s text
   */
  private static final int VERSION = 1;

  private NodeRows() {}

  static byte[] encode(List<NodeRow> rows) {
    ByteWriter out = new ByteWriter(256).writeByte(VERSION).writeVarint(rows.size());
    rows.forEach(row -> writeRow(out, row));
    return out.toByteArray();
  }

  /**
   * @throws io.fjordmq.common.MalformedBytesException if the bytes have another format
   */
  static List<NodeRow> decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    NewerFormatException.require("response of a node", VERSION, in.readByte());
    int count = in.readCount(1);
    List<NodeRow> rows = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      rows.add(readRow(in));
    }
    in.requireEnd();
    return rows;
  }

  static void writeRow(ByteWriter out, NodeRow row) {
    out.writeVarint(row.cells().size());
    for (@Nullable String cell : row.cells()) {
      out.writeByte(cell == null ? 0 : 1);
      if (cell != null) {
        out.writeString(cell);
      }
    }
  }

  static NodeRow readRow(ByteReader in) {
    int count = in.readCount(1);
    List<@Nullable String> cells = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      cells.add(in.readByte() == 0 ? null : in.readString());
    }
    return new NodeRow(cells);
  }
}
