package io.fjordmq.broker.net;

import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.ProtocolViolation;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.websocketx.WebSocketDecoderConfig;
import io.netty.handler.codec.http.websocketx.WebSocketHandshakeException;
import io.netty.handler.codec.http.websocketx.WebSocketServerHandshakerFactory;
import io.netty.handler.codec.http.websocketx.extensions.compression.WebSocketServerCompressionHandler;
import java.util.Arrays;
import java.util.List;

/**
 * Handles the HTTP request that begins a WebSocket connection (RFC 6455 §4.2). Any other request is
 * answered with an HTTP error, and the connection is closed. The {@code Origin} header is ignored,
 * because a page's permissions depend on the credentials in its CONNECT and not on the site from
 * which it was loaded.
 */
final class WebSocketUpgradeHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
  /** The sub-protocol names of MQTT 5.0 §6 and of MQTT 3.1 clients. */
  static final List<String> SUB_PROTOCOLS = List.of("mqtt", "mqttv3.1");

  private static final int MAX_REQUEST_LINE_BYTES = 4_096;
  private static final int MAX_HEADER_BYTES = 8_192;

  private final WebSocketSettings settings;
  private final WebSocketServerHandshakerFactory handshakers;

  private WebSocketUpgradeHandler(WebSocketSettings settings) {
    this.settings = settings;
    this.handshakers =
        new WebSocketServerHandshakerFactory(
            settings.path(),
            String.join(",", SUB_PROTOCOLS),
            WebSocketDecoderConfig.newBuilder()
                .allowExtensions(settings.compression())
                .maxFramePayloadLength(settings.maxFrameBytes())
                .closeOnProtocolViolation(false) // WebSocketFrameHandler closes and counts it
                .build());
  }

  static void addTo(ChannelPipeline pipeline, WebSocketSettings settings) {
    pipeline.addLast(
        "http",
        new HttpServerCodec(
            new HttpDecoderConfig()
                .setMaxInitialLineLength(MAX_REQUEST_LINE_BYTES)
                .setMaxHeaderSize(MAX_HEADER_BYTES)));
    pipeline.addLast("http-request", new HttpObjectAggregator(1));
    if (settings.compression()) {
      pipeline.addLast(
          "compression", new WebSocketServerCompressionHandler(settings.maxFrameBytes()));
    }
    pipeline.addLast("upgrade", new WebSocketUpgradeHandler(settings));
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
    if (request.decoderResult().isFailure()) {
      respond(ctx, HttpResponseStatus.BAD_REQUEST, "malformed HTTP request");
    } else if (!pathOf(request.uri()).equals(settings.path())) {
      respond(ctx, HttpResponseStatus.NOT_FOUND, "MQTT is served at " + settings.path());
    } else if (!request.method().equals(HttpMethod.GET)) {
      respond(ctx, HttpResponseStatus.METHOD_NOT_ALLOWED, "a WebSocket handshake must use GET");
    } else if (!"13".equals(request.headers().get(HttpHeaderNames.SEC_WEBSOCKET_VERSION))) {
      respond(ctx, HttpResponseStatus.UPGRADE_REQUIRED, "WebSocket version 13 is required");
    } else if (!offersMqtt(offeredProtocols(request))) {
      respond(ctx, HttpResponseStatus.BAD_REQUEST, "the WebSocket sub-protocol mqtt is required");
    } else {
      upgrade(ctx, request);
    }
  }

  private static String pathOf(String uri) {
    int query = uri.indexOf('?');
    return query < 0 ? uri : uri.substring(0, query);
  }

  /** Joins the header lines, because several lines are equivalent to one (RFC 6455 §11.3.4). */
  private static String offeredProtocols(FullHttpRequest request) {
    return String.join(",", request.headers().getAll(HttpHeaderNames.SEC_WEBSOCKET_PROTOCOL));
  }

  /** Whether the client offers an MQTT sub-protocol, as MQTT-6.0.0-3 requires. */
  private static boolean offersMqtt(String offered) {
    return Arrays.stream(offered.split(",", -1))
        .map(String::strip)
        .anyMatch(SUB_PROTOCOLS::contains);
  }

  private void upgrade(ChannelHandlerContext ctx, FullHttpRequest request) {
    // Netty only considers a single header line when it selects the sub-protocol.
    request.headers().set(HttpHeaderNames.SEC_WEBSOCKET_PROTOCOL, offeredProtocols(request));
    try {
      // Frames may arrive as soon as the response is sent.
      ctx.pipeline().addAfter(ctx.name(), "websocket", new WebSocketFrameHandler());
      handshakers.newHandshaker(request).handshake(ctx.channel(), request);
      ctx.pipeline().remove(this);
    } catch (WebSocketHandshakeException e) {
      ctx.pipeline().remove(WebSocketFrameHandler.class);
      respond(ctx, HttpResponseStatus.BAD_REQUEST, String.valueOf(e.getMessage()));
    }
  }

  private static void respond(ChannelHandlerContext ctx, HttpResponseStatus status, String why) {
    FullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, status, ByteBufUtil.writeUtf8(ctx.alloc(), why + "\n"));
    response
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, "text/plain; charset=utf-8")
        .set(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes())
        .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    if (status.equals(HttpResponseStatus.UPGRADE_REQUIRED)) {
      response
          .headers()
          .set(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET)
          .set(HttpHeaderNames.SEC_WEBSOCKET_VERSION, "13");
    } else if (status.equals(HttpResponseStatus.METHOD_NOT_ALLOWED)) {
      response.headers().set(HttpHeaderNames.ALLOW, "GET");
    }
    ctx.writeAndFlush(response);
    ctx.fireChannelRead(
        new ProtocolViolation(CloseReason.WEBSOCKET_REFUSED, status.code() + ": " + why));
  }
}
