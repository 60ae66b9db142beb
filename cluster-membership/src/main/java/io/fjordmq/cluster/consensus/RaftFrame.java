package io.fjordmq.cluster.consensus;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Message;
import io.fjordmq.cluster.NodeId;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.CorruptedFrameException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * What goes over a connection between two nodes.
 *
 * <pre>
 * frame     length u32 of the rest | kind u8 | rest
 *
 * hello     kind 0: version u8 = 1 | from: length u8, node id | to: length u8, node id
 * request   kind 1: message u8 (RaftMessage) | call u64 | protobuf
 * response  kind 2: message u8 (RaftMessage) | call u64 | protobuf
 * </pre>
 *
 * Who connects says hello first and names whom it means to reach: an address may have passed to
 * another node in the meantime. Only who connects asks; the other side only answers.
 */
final class RaftFrame {
  static final int LENGTH_BYTES = 4;
  static final byte VERSION = 1;
  static final byte HELLO = 0;
  static final byte REQUEST = 1;
  static final byte RESPONSE = 2;
  private static final int HEADER_BYTES = 10;

  private RaftFrame() {}

  /** Who speaks to whom. */
  record Hello(NodeId from, NodeId to) {}

  /** One message and the call it belongs to. */
  record Call(RaftMessage type, long call, Message message) {}

  static ByteBuf hello(ByteBufAllocator allocator, Hello hello) {
    byte[] from = ascii(hello.from());
    byte[] to = ascii(hello.to());
    int length = 4 + from.length + to.length;
    return allocator
        .buffer(LENGTH_BYTES + length)
        .writeInt(length)
        .writeByte(HELLO)
        .writeByte(VERSION)
        .writeByte(from.length)
        .writeBytes(from)
        .writeByte(to.length)
        .writeBytes(to);
  }

  static ByteBuf encode(ByteBufAllocator allocator, byte kind, long call, Message message) {
    int size = message.getSerializedSize();
    ByteBuf out = allocator.buffer(LENGTH_BYTES + HEADER_BYTES + size);
    out.writeInt(HEADER_BYTES + size).writeByte(kind);
    out.writeByte(RaftMessage.of(message).code()).writeLong(call);
    int start = out.writerIndex();
    try {
      CodedOutputStream stream = CodedOutputStream.newInstance(out.nioBuffer(start, size));
      message.writeTo(stream);
      stream.flush();
    } catch (IOException e) {
      out.release();
      throw new IllegalStateException("a message outgrew the size it gave", e);
    }
    return out.writerIndex(start + size);
  }

  /** Reads a hello after its kind. */
  static Hello readHello(ByteBuf in) {
    int version = in.readUnsignedByte();
    if (version != VERSION) {
      throw new CorruptedFrameException(
          "it speaks version %d of Raft's frames, this node version %d: upgrade %s"
              .formatted(version, VERSION, version > VERSION ? "this node" : "the other"));
    }
    return new Hello(readNode(in), readNode(in));
  }

  /** Reads a request or response after its kind. */
  static Call readCall(ByteBuf in) {
    int code = in.readUnsignedByte();
    RaftMessage type = RaftMessage.ofCode(code);
    if (type == null) {
      throw new CorruptedFrameException("unknown message " + code);
    }
    long call = in.readLong();
    try {
      return new Call(type, call, type.parse(CodedInputStream.newInstance(in.nioBuffer())));
    } catch (IOException e) {
      throw new CorruptedFrameException("malformed message " + type, e);
    }
  }

  private static NodeId readNode(ByteBuf in) {
    int length = in.readUnsignedByte();
    return new NodeId(in.readCharSequence(length, StandardCharsets.US_ASCII).toString());
  }

  private static byte[] ascii(NodeId node) {
    return node.value().getBytes(StandardCharsets.US_ASCII);
  }
}
