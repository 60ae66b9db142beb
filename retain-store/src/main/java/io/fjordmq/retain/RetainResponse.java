package io.fjordmq.retain;

import io.fjordmq.api.Message;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MessageCodec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One page of retained messages, from one range.
 *
 * <pre>
 * u8 1 if more follow, else 0; if 1: block next; varint count; for each message: block message
 * </pre>
 *
 * @param messages the encoded messages
 * @param next key where the next page starts, in this range or a later one; null at the end
 */
@SuppressWarnings("ArrayRecordComponent") // never compared by value
public record RetainResponse(List<byte[]> messages, byte @Nullable [] next) {

  byte[] encode() {
    ByteWriter out = new ByteWriter(64 + messages.stream().mapToInt(m -> m.length + 4).sum());
    out.writeByte(next == null ? 0 : 1);
    if (next != null) {
      out.writeBlock(next);
    }
    out.writeVarint(messages.size());
    messages.forEach(out::writeBlock);
    return out.toByteArray();
  }

  public static RetainStore.Page decodePage(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    byte[] next = in.readByte() == 0 ? null : in.readBlock();
    int count = in.readCount(1);
    List<Message> messages = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      messages.add(MessageCodec.decode(ByteBuffer.wrap(in.readBlock())));
    }
    in.requireEnd();
    return new RetainStore.Page(messages, next);
  }
}
