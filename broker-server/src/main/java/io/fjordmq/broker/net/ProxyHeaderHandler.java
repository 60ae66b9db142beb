package io.fjordmq.broker.net;

import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.Peer;
import io.fjordmq.broker.protocol.ProtocolViolation;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.haproxy.HAProxyCommand;
import io.netty.handler.codec.haproxy.HAProxyMessage;
import io.netty.handler.codec.haproxy.HAProxyMessageDecoder;
import io.netty.handler.codec.haproxy.HAProxyProtocolException;
import io.netty.handler.codec.haproxy.HAProxyProxiedProtocol.AddressFamily;
import io.netty.util.ReferenceCountUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * Reads the PROXY protocol header (versions 1 and 2), which carries the address of the client. Only
 * trusted proxies may connect, and each connection must begin with a header; otherwise any client
 * could claim any address.
 */
final class ProxyHeaderHandler extends ChannelInboundHandlerAdapter {
  /** The maximum size of the fields after the addresses. These fields are ignored. */
  private static final int MAX_EXTRA_BYTES = 2_048;

  private final List<CidrBlock> trusted;

  private ProxyHeaderHandler(List<CidrBlock> trusted) {
    this.trusted = trusted;
  }

  static void addTo(ChannelPipeline pipeline, List<CidrBlock> trusted) {
    pipeline.addLast("proxy-decoder", new HAProxyMessageDecoder(MAX_EXTRA_BYTES));
    pipeline.addLast("proxy", new ProxyHeaderHandler(trusted));
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    ctx.fireChannelActive();
    InetAddress address = Peer.of(ctx.channel()).address();
    if (address == null || trusted.stream().noneMatch(cidrBlock -> cidrBlock.contains(address))) {
      ctx.fireChannelRead(
          new ProtocolViolation(
              CloseReason.PROXY_NOT_TRUSTED, "the proxy's address is not in proxyTrusted"));
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object msg) {
    try {
      if (msg instanceof HAProxyMessage header) {
        applyHeader(ctx, header);
        ctx.pipeline().remove(this);
      }
    } finally {
      ReferenceCountUtil.release(msg);
    }
  }

  /**
   * Applies the header. LOCAL means that the proxy itself connects, for example for a health check.
   * Clients on the proxy's own host (AF_UNIX) and clients of an unknown address family have no
   * usable address, so they appear with the proxy's address.
   */
  private static void applyHeader(ChannelHandlerContext ctx, HAProxyMessage header) {
    AddressFamily family = header.proxiedProtocol().addressFamily();
    boolean addressed = family == AddressFamily.AF_IPv4 || family == AddressFamily.AF_IPv6;
    if (header.command() == HAProxyCommand.PROXY && addressed) {
      Peer.of(ctx.channel())
          .withRemote(new InetSocketAddress(header.sourceAddress(), header.sourcePort()))
          .attachTo(ctx.channel());
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof HAProxyProtocolException) {
      ctx.fireChannelRead(new ProtocolViolation(CloseReason.PROXY_HEADER_INVALID, detail(cause)));
    } else {
      ctx.fireExceptionCaught(cause);
    }
  }

  private static String detail(Throwable cause) {
    Throwable reason = cause.getCause() == null ? cause : cause.getCause();
    return "invalid PROXY header: " + reason.getMessage();
  }
}
