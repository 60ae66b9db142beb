package io.fjordmq.broker.net;

import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.FrameBytes;
import io.fjordmq.broker.protocol.ProtocolViolation;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.CodecException;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CorruptedWebSocketFrameException;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.util.ReferenceCountUtil;

/**
 * Handles MQTT over WebSocket. The payloads of binary frames form a byte stream, in which packets
 * may begin and end anywhere (MQTT-6.0.0-2). Output is sent in binary frames (MQTT-6.0.0-1).
 */
final class WebSocketFrameHandler extends ChannelDuplexHandler {
  /** The header size of a short frame: two bytes plus the mask. */
  private static final int HEAD_BYTES = 6;

  private WebSocketCloseStatus closeStatus = WebSocketCloseStatus.NORMAL_CLOSURE;
  private boolean ended;

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object msg) {
    if (msg instanceof ProtocolViolation) {
      ctx.fireChannelRead(msg);
    } else if (ended) {
      ReferenceCountUtil.release(msg);
    } else if (msg instanceof WebSocketFrame frame && frame.rsv() != 0) {
      ReferenceCountUtil.release(msg);
      // The compression handler has already cleared its own bit. When that handler is present,
      // Netty accepts the other reserved bits, which must be rejected here (RFC 6455 §5.2).
      refuse(
          ctx,
          WebSocketCloseStatus.PROTOCOL_ERROR,
          "reserved bits are set but no extension was negotiated");
    } else if (msg instanceof PingWebSocketFrame || msg instanceof PongWebSocketFrame) {
      handleControl(ctx, (WebSocketFrame) msg);
    } else if (msg instanceof BinaryWebSocketFrame || msg instanceof ContinuationWebSocketFrame) {
      ByteBuf content = ((WebSocketFrame) msg).content();
      if (!content.isReadable()) {
        ctx.fireUserEventTriggered(new FrameBytes(HEAD_BYTES));
      }
      ctx.fireChannelRead(content);
    } else {
      try {
        handleOther(ctx, msg);
      } finally {
        ReferenceCountUtil.release(msg);
      }
    }
  }

  /**
   * Handles a ping or pong. A ping is not answered while the client does not read; RFC 6455 §5.5.3
   * allows a server to answer only the latest ping.
   */
  private static void handleControl(ChannelHandlerContext ctx, WebSocketFrame frame) {
    ctx.fireUserEventTriggered(new FrameBytes(HEAD_BYTES + frame.content().readableBytes()));
    if (frame instanceof PingWebSocketFrame && ctx.channel().isWritable()) {
      ctx.writeAndFlush(new PongWebSocketFrame(frame.content()), ctx.voidPromise());
    } else {
      ReferenceCountUtil.release(frame);
    }
  }

  private void handleOther(ChannelHandlerContext ctx, Object msg) {
    if (msg instanceof CloseWebSocketFrame) {
      close(ctx, ctx.newPromise());
    } else if (msg instanceof TextWebSocketFrame) {
      refuse(
          ctx,
          WebSocketCloseStatus.INVALID_MESSAGE_TYPE,
          "received a text frame; MQTT requires binary frames");
    } else if (msg instanceof ByteBuf) {
      // RFC 6455 §4.1 requires a client to wait for the handshake response.
      refuse(
          ctx,
          WebSocketCloseStatus.PROTOCOL_ERROR,
          "received data before the handshake was complete");
    }
  }

  /** Closes the connection with a reason (MQTT-6.0.0-1). */
  private void refuse(ChannelHandlerContext ctx, WebSocketCloseStatus status, String detail) {
    if (ended) {
      return;
    }
    ended = true;
    closeStatus = status;
    ctx.fireChannelRead(new ProtocolViolation(CloseReason.WEBSOCKET_ERROR, detail));
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object msg, ChannelPromise promise) {
    ctx.write(msg instanceof ByteBuf bytes ? new BinaryWebSocketFrame(bytes) : msg, promise);
  }

  @Override
  public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
    if (ctx.channel().isActive()) {
      ctx.writeAndFlush(new CloseWebSocketFrame(closeStatus), ctx.voidPromise());
    }
    ctx.close(promise);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof CorruptedWebSocketFrameException corrupted) {
      refuse(ctx, corrupted.closeStatus(), String.valueOf(cause.getMessage()));
    } else if (cause instanceof CodecException) {
      refuse(ctx, WebSocketCloseStatus.INVALID_PAYLOAD_DATA, String.valueOf(cause.getMessage()));
    } else {
      ctx.fireExceptionCaught(cause);
    }
  }
}
