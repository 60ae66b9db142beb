package io.fjordmq.perf;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One MQTT 3.1.1 connection of the load tool. Belongs to its channel's event loop; {@link
 * #connected} and {@link #subscribed} complete there.
 */
final class LoadClient extends ByteToMessageDecoder {

  /** Receives what the broker sends; called on the event loop. */
  interface Receiver {
    /** Of a client that asks for nothing: whatever comes is a fault. */
    Receiver NOTHING =
        new Receiver() {
          @Override
          public void onPublish(ByteBuf payload) {
            throw new IllegalStateException("a client that subscribed to nothing got a message");
          }

          @Override
          public void onPuback(int packetIdentifier) {
            throw new IllegalStateException("a client that published nothing got a PUBACK");
          }
        };

    /** The buffer stands at the payload and belongs to the caller. */
    void onPublish(ByteBuf payload);

    void onPuback(int packetIdentifier);
  }

  private final String clientId;
  private final Consumer<ByteBuf> connect;
  private final Receiver receiver;
  private final CompletableFuture<LoadClient> connected = new CompletableFuture<>();
  private final CompletableFuture<LoadClient> subscribed = new CompletableFuture<>();
  private @Nullable Channel channel;
  private int packetIdentifier;

  LoadClient(String clientId, boolean cleanSession, Receiver receiver) {
    this(clientId, out -> MqttWire.connect(out, clientId, cleanSession, 0), receiver);
  }

  /**
   * @param connect writes its CONNECT
   */
  LoadClient(String clientId, Consumer<ByteBuf> connect, Receiver receiver) {
    this.clientId = clientId;
    this.connect = connect;
    this.receiver = receiver;
  }

  CompletableFuture<LoadClient> connected() {
    return connected;
  }

  Channel channel() {
    Channel open = channel;
    if (open == null) {
      throw new IllegalStateException(clientId + " is not connected");
    }
    return open;
  }

  CompletableFuture<LoadClient> subscribe(String filter, int qos) {
    ByteBuf out = channel().alloc().buffer();
    MqttWire.subscribe(out, nextPacketIdentifier(), filter, qos);
    channel().writeAndFlush(out);
    return subscribed;
  }

  /** 1 to 65,535, round and round. */
  int nextPacketIdentifier() {
    packetIdentifier = packetIdentifier == 65_535 ? 1 : packetIdentifier + 1;
    return packetIdentifier;
  }

  void close() {
    ByteBuf out = channel().alloc().buffer();
    MqttWire.disconnect(out);
    channel().writeAndFlush(out).addListener(f -> channel().close());
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    channel = context.channel();
    ByteBuf out = context.alloc().buffer();
    connect.accept(out);
    context.writeAndFlush(out);
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    while (readPacket(context, in)) {
      // readPacket consumes one packet at a time
    }
    context.flush();
  }

  private boolean readPacket(ChannelHandlerContext context, ByteBuf in) {
    int start = in.readerIndex();
    int available = in.readableBytes();
    int length = 0;
    int header = 1;
    while (true) {
      if (available <= header) {
        return false;
      }
      int digit = in.getByte(start + header);
      length |= (digit & 0x7F) << (7 * (header - 1));
      header++;
      if ((digit & 0x80) == 0) {
        break;
      }
    }
    if (available < header + length) {
      return false;
    }
    int first = in.getUnsignedByte(start);
    in.skipBytes(header);
    handle(context, first, in.readSlice(length));
    return true;
  }

  private void handle(ChannelHandlerContext context, int first, ByteBuf body) {
    switch (first >> 4) {
      case MqttWire.PUBLISH -> {
        body.skipBytes(body.readUnsignedShort());
        if ((first & 0x06) != 0) {
          ByteBuf ack = context.alloc().buffer(4);
          MqttWire.puback(ack, body.readUnsignedShort());
          context.write(ack, context.voidPromise());
        }
        receiver.onPublish(body);
      }
      case MqttWire.PUBACK -> receiver.onPuback(body.readUnsignedShort());
      case MqttWire.CONNACK -> {
        int code = body.getByte(1);
        if (code == 0) {
          connected.complete(this);
        } else {
          connected.completeExceptionally(
              new IllegalStateException(clientId + " refused with return code " + code));
        }
      }
      case MqttWire.SUBACK -> subscribed.complete(this);
      default -> throw new IllegalStateException("unexpected packet type " + (first >> 4));
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) throws Exception {
    connected.completeExceptionally(new IllegalStateException(clientId + ": connection closed"));
    subscribed.completeExceptionally(new IllegalStateException(clientId + ": connection closed"));
    super.channelInactive(context);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    connected.completeExceptionally(cause);
    context.close();
  }
}
