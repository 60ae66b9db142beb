package io.fjordmq.broker.net;

import io.fjordmq.broker.session.CloseReason;
import io.fjordmq.broker.session.FrameBytes;
import io.fjordmq.broker.session.ProtocolViolation;
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
 * MQTT inside WebSocket: the payloads of binary frames are a stream of bytes, whatever packets
 * begin and end in them (MQTT-6.0.0-2); what is written goes out in binary frames (MQTT-6.0.0-1).
 */
final class WebSocketFrames extends ChannelDuplexHandler {
  /** Of a short frame: two bytes and the mask. */
  private static final int HEAD_BYTES = 6;

  private WebSocketCloseStatus farewell = WebSocketCloseStatus.NORMAL_CLOSURE;
  private boolean ended;

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object msg) {
    if (msg instanceof ProtocolViolation) {
      ctx.fireChannelRead(msg);
    } else if (ended) {
      ReferenceCountUtil.release(msg);
    } else if (msg instanceof WebSocketFrame frame && frame.rsv() != 0) {
      ReferenceCountUtil.release(msg);
      // Compression has taken its bit away; with it, netty lets the others pass (RFC 6455 §5.2).
      refuse(ctx, WebSocketCloseStatus.PROTOCOL_ERROR, "reserved bits without an extension");
    } else if (msg instanceof PingWebSocketFrame || msg instanceof PongWebSocketFrame) {
      control(ctx, (WebSocketFrame) msg);
    } else if (msg instanceof BinaryWebSocketFrame || msg instanceof ContinuationWebSocketFrame) {
      ByteBuf content = ((WebSocketFrame) msg).content();
      if (!content.isReadable()) {
        ctx.fireUserEventTriggered(new FrameBytes(HEAD_BYTES));
      }
      ctx.fireChannelRead(content);
    } else {
      try {
        other(ctx, msg);
      } finally {
        ReferenceCountUtil.release(msg);
      }
    }
  }

  /**
   * A pong answers nothing that was asked. A ping of a client that does not read is not answered:
   * RFC 6455 §5.5.3 lets the answer to a later one stand for it.
   */
  private static void control(ChannelHandlerContext ctx, WebSocketFrame frame) {
    ctx.fireUserEventTriggered(new FrameBytes(HEAD_BYTES + frame.content().readableBytes()));
    if (frame instanceof PingWebSocketFrame && ctx.channel().isWritable()) {
      ctx.writeAndFlush(new PongWebSocketFrame(frame.content()), ctx.voidPromise());
    } else {
      ReferenceCountUtil.release(frame);
    }
  }

  private void other(ChannelHandlerContext ctx, Object msg) {
    if (msg instanceof CloseWebSocketFrame) {
      close(ctx, ctx.newPromise());
    } else if (msg instanceof TextWebSocketFrame) {
      refuse(ctx, WebSocketCloseStatus.INVALID_MESSAGE_TYPE, "a text frame");
    } else if (msg instanceof ByteBuf) {
      // RFC 6455 §4.1: a client waits for the answer to its handshake.
      refuse(ctx, WebSocketCloseStatus.PROTOCOL_ERROR, "data before the WebSocket was open");
    }
  }

  /** MQTT-6.0.0-1: the connection ends. */
  private void refuse(ChannelHandlerContext ctx, WebSocketCloseStatus status, String detail) {
    if (ended) {
      return;
    }
    ended = true;
    farewell = status;
    ctx.fireChannelRead(new ProtocolViolation(CloseReason.WEBSOCKET_ERROR, detail));
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object msg, ChannelPromise promise) {
    ctx.write(msg instanceof ByteBuf bytes ? new BinaryWebSocketFrame(bytes) : msg, promise);
  }

  @Override
  public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
    if (ctx.channel().isActive()) {
      ctx.writeAndFlush(new CloseWebSocketFrame(farewell), ctx.voidPromise());
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
