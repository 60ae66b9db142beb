package io.fjordmq.cluster.consensus.transport;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Message;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.ProtocolVersions;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.StartStamp;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.CorruptedFrameException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Frame format of Raft connections between nodes.
 *
 * <pre>
 * frame     length u32 of the rest | kind u8 | rest
 *
 * hello     kind 0: highest version u8 = 2 | lowest version u8 = 2 | from: length u8, node id
 *                   | to: length u8, node id | start: count u64, token u64
 * request   kind 1: message u8 (RaftMessage) | call u64 | protobuf
 * response  kind 2: message u8 (RaftMessage) | call u64 | protobuf
 * welcome   kind 3: version u8 in use from now on | start: count u64, token u64
 * refusal   kind 4: u8, 1 if permanent | reason (UTF-8, to the end)
 *
 * hello of version 1: version u8 = 1 | from | to; only recognized, to report what to upgrade
 * </pre>
 *
 * The connecting node sends a hello first. It names the intended node, because the address may have
 * been reassigned. After the welcome it sends requests, and another hello when its start counter is
 * incremented. Only the connecting node sends requests; the other node only responds.
 */
public final class RaftFrame {
  static final int LENGTH_BYTES = 4;
  static final ProtocolVersions VERSIONS = new ProtocolVersions(2, 2);
  static final byte HELLO = 0;
  public static final byte REQUEST = 1;
  static final byte RESPONSE = 2;
  static final byte WELCOME = 3;
  static final byte REFUSAL = 4;
  private static final int VERSION_WITHOUT_LOWEST = 1;
  private static final String PROTOCOL = "the Raft frame format";
  private static final int HEADER_BYTES = 10;
  private static final int START_BYTES = 16;

  private RaftFrame() {}

  /** Identifies the connecting node and the node that it intends to reach. */
  public record Hello(NodeId from, NodeId to, StartStamp start) {}

  /** Accepts a hello. */
  public record Welcome(int version, StartStamp start) {}

  /** A request or response, and the call that it belongs to. */
  public record Call(RaftMessage type, long call, Message message) {}

  public static ByteBuf encodeHello(ByteBufAllocator allocator, Hello hello) {
    byte[] from = ascii(hello.from());
    byte[] to = ascii(hello.to());
    int length = 5 + from.length + to.length + START_BYTES;
    ByteBuf out = allocator.buffer(LENGTH_BYTES + length).writeInt(length).writeByte(HELLO);
    out.writeByte(VERSIONS.highest()).writeByte(VERSIONS.lowest());
    out.writeByte(from.length).writeBytes(from).writeByte(to.length).writeBytes(to);
    return out.writeLong(hello.start().count()).writeLong(hello.start().token());
  }

  public static ByteBuf encodeWelcome(ByteBufAllocator allocator, Welcome welcome) {
    int length = 2 + START_BYTES;
    ByteBuf out = allocator.buffer(LENGTH_BYTES + length).writeInt(length).writeByte(WELCOME);
    out.writeByte(welcome.version());
    return out.writeLong(welcome.start().count()).writeLong(welcome.start().token());
  }

  public static ByteBuf encodeRefusal(ByteBufAllocator allocator, StartFence.Refusal refusal) {
    byte[] reason = refusal.reason().getBytes(StandardCharsets.UTF_8);
    int length = 2 + reason.length;
    return allocator
        .buffer(LENGTH_BYTES + length)
        .writeInt(length)
        .writeByte(REFUSAL)
        .writeByte(refusal.permanent() ? 1 : 0)
        .writeBytes(reason);
  }

  public static ByteBuf encode(ByteBufAllocator allocator, byte kind, long call, Message message) {
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
      throw new IllegalStateException("message is larger than its serialized size: " + size, e);
    }
    return out.writerIndex(start + size);
  }

  /**
   * Negotiates the version to use with the sender of this hello; reads only the versions.
   *
   * @throws CorruptedFrameException if there is no common version
   */
  public static int readVersions(ByteBuf in) {
    int highest = in.readUnsignedByte();
    int lowest = highest == VERSION_WITHOUT_LOWEST ? VERSION_WITHOUT_LOWEST : in.readUnsignedByte();
    try {
      return VERSIONS.negotiate(new ProtocolVersions(lowest, highest), PROTOCOL);
    } catch (IllegalArgumentException e) {
      throw new CorruptedFrameException(e.getMessage(), e);
    }
  }

  /** Reads the rest of a hello. */
  public static Hello readHello(ByteBuf in) {
    return new Hello(readNode(in), readNode(in), readStart(in));
  }

  /** Reads a welcome after its kind. */
  public static Welcome readWelcome(ByteBuf in) {
    return new Welcome(in.readUnsignedByte(), readStart(in));
  }

  /** Reads a refusal after its kind. */
  public static StartFence.Refusal readRefusal(ByteBuf in) {
    boolean permanent = in.readByte() == 1;
    return new StartFence.Refusal(in.toString(StandardCharsets.UTF_8), permanent);
  }

  private static StartStamp readStart(ByteBuf in) {
    return new StartStamp(in.readLong(), in.readLong());
  }

  /** Reads a request or response after its kind. */
  public static Call readCall(ByteBuf in) {
    int code = in.readUnsignedByte();
    RaftMessage type = RaftMessage.ofCode(code);
    if (type == null) {
      throw new CorruptedFrameException("unknown message code " + code);
    }
    long call = in.readLong();
    try {
      return new Call(type, call, type.parse(CodedInputStream.newInstance(in.nioBuffer())));
    } catch (IOException e) {
      throw new CorruptedFrameException("malformed message of type " + type, e);
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
