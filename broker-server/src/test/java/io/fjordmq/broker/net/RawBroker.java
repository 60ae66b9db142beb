package io.fjordmq.broker.net;

import io.fjordmq.broker.session.SessionSettings;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * The real pipeline on stores in memory, spoken to in bytes: no codec stands between the test and
 * the broker. Packets are hexadecimal digits in both directions; blanks are for the reader.
 */
public final class RawBroker implements AutoCloseable {
  private final World world;

  public RawBroker() {
    this(SessionSettings.defaults());
  }

  public RawBroker(SessionSettings settings) {
    world = new World(settings);
  }

  /** Default settings with one value changed. */
  public static SessionSettings settings(String name, Object value) {
    return Settings.with(name, value);
  }

  /** A connection on which nothing was said yet. */
  public Line open() {
    return new Line(world.open());
  }

  /** Stores answer no more, until {@link #resume}. */
  public void hold() {
    world.tasks.hold();
  }

  public void resume() {
    world.tasks.resume();
    world.settle();
  }

  /** Lets the wall clock go on. */
  public void pass(long seconds) {
    world.pass(seconds);
  }

  /** Begins to shut down. */
  public void shutDown() {
    world.sessions.shutDown();
    world.settle();
  }

  @Override
  public void close() {
    world.close();
  }

  /** A client's end of a connection. */
  public static final class Line {
    private final TestClient client;
    private String rest = "";

    private Line(TestClient client) {
      this.client = client;
    }

    public Line send(String... packets) {
      client.raw(String.join("", packets));
      return this;
    }

    /** The network goes away. */
    public void cut() {
      client.cut();
    }

    public boolean isOpen() {
      return client.isOpen();
    }

    /** The packets that came since the last look. */
    public List<String> read() {
      StringBuilder bytes = new StringBuilder(rest);
      ByteBuf part = client.channel().readOutbound();
      while (part != null) {
        bytes.append(ByteBufUtil.hexDump(part));
        part.release();
        part = client.channel().readOutbound();
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
  }
}
