package io.fjordmq.broker.ops;

import static io.netty.handler.codec.http.HttpResponseStatus.BAD_REQUEST;
import static io.netty.handler.codec.http.HttpResponseStatus.INTERNAL_SERVER_ERROR;
import static io.netty.handler.codec.http.HttpResponseStatus.METHOD_NOT_ALLOWED;
import static io.netty.handler.codec.http.HttpResponseStatus.NOT_FOUND;
import static io.netty.handler.codec.http.HttpResponseStatus.OK;
import static io.netty.handler.codec.http.HttpResponseStatus.SERVICE_UNAVAILABLE;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Metrics and health for machines: {@code GET /metrics} (Prometheus), {@code /livez} (the process
 * answers), {@code /readyz} (200, or 503 and why); and for people {@code /status} (nodes and ranges
 * of the cluster). On a thread of its own, so that it answers whatever the rest does.
 */
public final class HttpServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HttpServer.class);
  private static final int MAX_REQUEST_BYTES = 8 << 10;
  private static final int READ_TIMEOUT_SECONDS = 30;
  private static final int BACKLOG = 64;
  private static final String TEXT = "text/plain; charset=utf-8";
  private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

  private final Pages pages;
  private final EventLoopGroup loop =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("http"), NioIoHandler.newFactory());

  /** Touched by the loop only, as are its channels. */
  private final ChannelGroup connections = new DefaultChannelGroup(loop.next());

  private final int maxConnections;

  /**
   * What there is to read. Asked on the server's thread; must not block.
   *
   * @param metrics in Prometheus' text format
   * @param faults why the node is not ready; empty if it is
   * @param cluster nodes and ranges, as text; completes in its own time, on any thread
   */
  public record Pages(
      Supplier<String> metrics,
      Supplier<List<String>> faults,
      Supplier<CompletableFuture<String>> cluster) {}

  private HttpServer(int maxConnections, Pages pages) {
    this.maxConnections = maxConnections;
    this.pages = pages;
  }

  /**
   * Opens the port.
   *
   * @param host empty for all addresses of this machine
   * @param port 0 for any that is free
   * @param maxConnections at a time; more are closed and logged
   * @throws IOException if the port cannot be opened; says what to do
   */
  public static Listening start(String host, int port, int maxConnections, Pages pages)
      throws IOException {
    HttpServer server = new HttpServer(maxConnections, pages);
    InetSocketAddress address =
        host.isEmpty() ? new InetSocketAddress(port) : new InetSocketAddress(host, port);
    ChannelFuture bound = server.bind(address);
    Throwable cause = bound.cause();
    if (cause != null) {
      server.close();
      throw new IOException(
          "cannot listen on "
              + address.getHostString()
              + ":"
              + port
              + ": "
              + cause.getMessage()
              + "; change httpConfig.host or httpConfig.port, or stop whatever uses it",
          cause);
    }
    Channel channel = bound.channel();
    int opened = ((InetSocketAddress) channel.localAddress()).getPort();
    LOG.info("HTTP on {}:{}: /metrics /livez /readyz /status", address.getHostString(), opened);
    return new Listening(server, opened);
  }

  /** A server with its port open. */
  public record Listening(HttpServer server, int port) implements AutoCloseable {
    @Override
    public void close() {
      server.close();
    }
  }

  private ChannelFuture bind(InetSocketAddress address) {
    return new ServerBootstrap()
        .group(loop)
        .channel(NioServerSocketChannel.class)
        .option(ChannelOption.SO_BACKLOG, BACKLOG)
        .option(ChannelOption.SO_REUSEADDR, true)
        .childHandler(
            new ChannelInitializer<SocketChannel>() {
              @Override
              protected void initChannel(SocketChannel channel) {
                if (connections.size() >= maxConnections) {
                  LOG.warn(
                      "HTTP connection of {} refused: httpConfig.maxConnections is {}",
                      channel.remoteAddress(),
                      maxConnections);
                  channel.close();
                  return;
                }
                connections.add(channel);
                channel
                    .pipeline()
                    .addLast(new ReadTimeoutHandler(READ_TIMEOUT_SECONDS))
                    .addLast(new HttpServerCodec())
                    .addLast(new HttpObjectAggregator(MAX_REQUEST_BYTES))
                    .addLast(new Requests());
              }
            })
        .bind(address)
        .awaitUninterruptibly();
  }

  /**
   * What somebody asks.
   *
   * @param isHttp false if it could not be read
   * @param stays whether the connection stays for other requests
   */
  private record Question(boolean isHttp, HttpMethod method, String uri, boolean stays) {
    static Question of(FullHttpRequest request) {
      boolean isHttp = request.decoderResult().isSuccess();
      boolean stays = isHttp && HttpUtil.isKeepAlive(request);
      return new Question(isHttp, request.method(), request.uri(), stays);
    }
  }

  private CompletableFuture<DefaultFullHttpResponse> answer(Question request) {
    if (!request.isHttp()) {
      return CompletableFuture.completedFuture(response(BAD_REQUEST, TEXT, "not HTTP\n"));
    }
    if (!request.method().equals(HttpMethod.GET)) {
      return CompletableFuture.completedFuture(response(METHOD_NOT_ALLOWED, TEXT, "only GET\n"));
    }
    String path = new QueryStringDecoder(request.uri()).path();
    return path.equals("/status")
        ? pages.cluster().get().thenApply(text -> response(OK, TEXT, text))
        : CompletableFuture.completedFuture(answerAtOnce(path));
  }

  private DefaultFullHttpResponse answerAtOnce(String path) {
    return switch (path) {
      case "/metrics" -> response(OK, PROMETHEUS, pages.metrics().get());
      case "/livez" -> response(OK, TEXT, "alive\n");
      case "/readyz" -> readiness();
      default -> response(NOT_FOUND, TEXT, "there are /metrics, /livez, /readyz and /status\n");
    };
  }

  /** An error of ours is said to the one who asked and in the log, not by a closed connection. */
  private CompletableFuture<DefaultFullHttpResponse> answerOrFault(Question request) {
    String uri = request.uri();
    try {
      return answer(request).exceptionally(fault -> defect(uri, fault));
    } catch (RuntimeException e) {
      return CompletableFuture.completedFuture(defect(uri, e));
    }
  }

  private static DefaultFullHttpResponse defect(String uri, Throwable fault) {
    LOG.error("a defect kept {} from being answered", uri, fault);
    return response(INTERNAL_SERVER_ERROR, TEXT, "a defect, see the log: " + fault + "\n");
  }

  private DefaultFullHttpResponse readiness() {
    List<String> reasons = pages.faults().get();
    return reasons.isEmpty()
        ? response(OK, TEXT, "ready\n")
        : response(SERVICE_UNAVAILABLE, TEXT, String.join("\n", reasons) + "\n");
  }

  private static DefaultFullHttpResponse response(
      HttpResponseStatus status, String type, String body) {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    DefaultFullHttpResponse response =
        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(bytes));
    response.headers().set(HttpHeaderNames.CONTENT_TYPE, type);
    response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, bytes.length);
    return response;
  }

  /** One per connection. */
  private final class Requests extends SimpleChannelInboundHandler<FullHttpRequest> {
    /**
     * Answers leave in the order of the requests, so later ones wait. Not many: the connection is
     * not read meanwhile, and these came with what was read before.
     */
    private final ArrayDeque<Question> waiting = new ArrayDeque<>(1);

    private boolean answering;
    private boolean ended;

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
      waiting.add(Question.of(request));
      goOn(context);
    }

    private void goOn(ChannelHandlerContext context) {
      while (!answering && !ended && !waiting.isEmpty()) {
        Question question = waiting.remove();
        CompletableFuture<DefaultFullHttpResponse> answer = answerOrFault(question);
        if (answer.isDone()) {
          write(context, answer.join(), question.stays());
        } else {
          answering = true;
          context.channel().config().setAutoRead(false);
          answer.thenAcceptAsync(
              response -> answered(context, response, question.stays()), context.executor());
        }
      }
    }

    private void answered(
        ChannelHandlerContext context, DefaultFullHttpResponse response, boolean stays) {
      answering = false;
      write(context, response, stays);
      goOn(context);
      context.channel().config().setAutoRead(!answering);
    }

    private void write(
        ChannelHandlerContext context, DefaultFullHttpResponse response, boolean stays) {
      HttpUtil.setKeepAlive(response, stays);
      ChannelFuture written = context.writeAndFlush(response);
      if (!stays) {
        ended = true;
        written.addListener(ChannelFutureListener.CLOSE);
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      LOG.debug("HTTP connection ended", cause);
      context.close();
    }
  }

  @Override
  public void close() {
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
  }
}
