package io.fjordmq.broker.testing;

import io.fjordmq.broker.bans.TestBanList;
import io.fjordmq.broker.delivery.DeliveryAssembly;
import io.fjordmq.broker.delivery.DeliveryDependencies;
import io.fjordmq.broker.delivery.DeliveryObserver;
import io.fjordmq.broker.dispatch.DeliverySettings;
import io.fjordmq.broker.dispatch.LocalNode;
import io.fjordmq.broker.events.ClientEventLog;
import io.fjordmq.broker.events.EventsSettings;
import io.fjordmq.broker.limits.Overload;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.net.PlainPipeline;
import io.fjordmq.broker.security.Security;
import io.fjordmq.broker.session.ClientEvents;
import io.fjordmq.broker.session.ServingState;
import io.fjordmq.broker.session.SessionServices;
import io.fjordmq.broker.session.Sessions;
import io.fjordmq.broker.slow.SlowSubscriptions;
import io.fjordmq.broker.topicmetrics.TopicTraffic;
import io.fjordmq.broker.trace.Tracer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The real pipeline on the real stores, tested with bytes: no codec stands between the test and the
 * broker. Packets are hexadecimal digits in both directions; blanks are ignored. Nothing runs by
 * itself: packets are processed before {@link RawConnection#send} returns, and time passes only in
 * {@link #advanceTime}.
 */
public final class RawBroker implements AutoCloseable {
  private static final Duration STEP = Duration.ofMillis(500);

  /** The banned clients. */
  public final TestBanList bans = new TestBanList(InstantSource.system());

  private final SessionSettings settings;
  private final Security security;
  private final RangedStores stores = new RangedStores();
  private final List<RawConnection> lines = new ArrayList<>();
  private CountingSessionObserver sessionObserver = new CountingSessionObserver();
  private Sessions sessions;
  private ChannelHandler pipeline;

  public RawBroker() {
    // Time does not pass here, so rate limits would never recover.
    this(Settings.with(Settings.with("readBytesPerSecond", 0), "writeBytesPerSecond", 0));
  }

  public RawBroker(SessionSettings settings) {
    this(settings, Security.allowAll("t"));
  }

  public RawBroker(SessionSettings settings, Security security) {
    this.settings = settings;
    this.security = security;
    this.sessions = sessions();
    this.pipeline = pipeline();
  }

  /** Default settings with one value changed. */
  public static SessionSettings settings(String name, Object value) {
    return Settings.with(name, value);
  }

  /** Settings with one value changed. */
  public static SessionSettings settings(SessionSettings settings, String name, Object value) {
    return Settings.with(settings, name, value);
  }

  private Sessions sessions() {
    LocalNode self = new LocalNode("n1", stores.incarnation());
    ClientEventLog history = new ClientEventLog(EventsSettings.DEFAULTS, stores.clock());
    DeliveryAssembly delivery =
        DeliveryAssembly.open(
            new DeliveryDependencies(
                self,
                DeliverySettings.DEFAULTS,
                DeliveryObserver.NONE,
                history,
                Tracer.off(),
                stores.router(),
                stores.inboxes(),
                stores.retained(),
                TestRetainedBarrier.create(),
                () -> true,
                () -> true,
                stores.clock(),
                new TopicTraffic(),
                null));
    stores.setListener(delivery.inboxEvents());
    sessionObserver = new CountingSessionObserver();
    return new Sessions(
        new SessionServices(
            Settings.forAll(settings, sessionObserver),
            ClientEvents.NONE,
            history,
            Tracer.off(),
            sessionObserver,
            security,
            SessionServices.Delivery.of(delivery),
            stores.inboxes(),
            stores.retained(),
            new SessionServices.NodeState(
                self, ServingState.ALWAYS, Overload.NEVER, () -> true, stores.clock(), bans.list()),
            SlowSubscriptions.disabled()));
  }

  private ChannelHandler pipeline() {
    return PlainPipeline.of("tcpListener", sessions);
  }

  /** A connection on which nothing has been sent yet. */
  public RawConnection open() {
    RawConnection line = new RawConnection();
    lines.add(line);
    return line;
  }

  /** Stores stop responding until {@link #resume}. */
  public void hold() {
    stores.hold();
  }

  public void resume() {
    stores.resume();
    settle();
  }

  /** Advances time for the stores, for timeouts and for the tasks a node runs every second. */
  public void advanceTime(long seconds) {
    for (long half = 1; half <= 2 * seconds; half++) {
      stores.advance(STEP);
      lines.forEach(RawConnection::advance);
      if (half % 2 == 0) {
        stores.sweep();
      }
      settle();
    }
  }

  /** Begins to shut down. */
  public void shutDown() {
    sessions.shutDown();
    settle();
  }

  /** Crashes the process and starts another one; clients lose their connections. */
  public void crash() {
    stores.crash();
    lines.forEach(RawConnection::cut);
    lines.forEach(RawConnection::dispose);
    lines.clear();
    stores.router().removeStale("n1", stores.incarnation());
    sessions = sessions();
    pipeline = pipeline();
    settle();
  }

  private void settle() {
    boolean any = true;
    while (any) {
      any = stores.run();
      for (RawConnection line : lines) {
        any |= line.runTasks();
      }
    }
  }

  @Override
  public void close() {
    stores.resume();
    lines.forEach(RawConnection::cut);
    settle();
    lines.forEach(RawConnection::dispose);
    stores.close();
    sessionObserver.assertNothingLeft();
  }

  /** A client's end of a connection. */
  public final class RawConnection {
    private final EmbeddedChannel channel;
    private String rest = "";

    private RawConnection() {
      channel =
          new EmbeddedChannel(
              new ChannelInitializer<>() {
                @Override
                protected void initChannel(Channel channel) {
                  channel.pipeline().addLast(pipeline);
                }
              });
      channel.freezeTime();
    }

    /** Sends packets and processes them; does nothing if the connection is closed. */
    public RawConnection send(String... packets) {
      String hex = String.join("", packets).replace(" ", "");
      if (channel.isOpen()) {
        channel.writeInbound(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex)));
        channel.checkException();
      }
      settle();
      return this;
    }

    /** Drops the connection without a DISCONNECT. */
    public void cut() {
      channel.close();
      settle();
    }

    public boolean isOpen() {
      return channel.isOpen();
    }

    /** The packets received since the last call. */
    public List<String> read() {
      StringBuilder bytes = new StringBuilder(rest);
      ByteBuf part = channel.readOutbound();
      while (part != null) {
        bytes.append(ByteBufUtil.hexDump(part));
        part.release();
        part = channel.readOutbound();
      }
      ByteBuf in = Unpooled.wrappedBuffer(HexFormat.of().parseHex(bytes));
      List<String> packets = new ArrayList<>();
      int size = packetBytes(in);
      while (size > 0 && size <= in.readableBytes()) {
        packets.add(ByteBufUtil.hexDump(in.readSlice(size)));
        size = packetBytes(in);
      }
      rest = ByteBufUtil.hexDump(in);
      return packets;
    }

    private static int packetBytes(ByteBuf in) {
      int remaining = 0;
      for (int i = 0; 2 + i <= in.readableBytes(); i++) {
        int digit = in.getUnsignedByte(in.readerIndex() + 1 + i);
        remaining |= (digit & 0x7F) << 7 * i;
        if (digit < 0x80) {
          return 2 + i + remaining;
        }
      }
      return 0;
    }

    private void advance() {
      channel.advanceTimeBy(STEP.toMillis(), TimeUnit.MILLISECONDS);
      channel.runScheduledPendingTasks();
    }

    private boolean runTasks() {
      boolean any = channel.hasPendingTasks();
      channel.runPendingTasks();
      channel.checkException();
      return any;
    }

    private void dispose() {
      channel.finishAndReleaseAll();
    }
  }
}
