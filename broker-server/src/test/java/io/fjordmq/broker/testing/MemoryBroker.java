package io.fjordmq.broker.testing;

import io.fjordmq.broker.limits.SessionSettings;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import java.util.List;
import java.util.Map;

/**
 * A {@link World} for other packages: the real pipeline on in-memory stores, for tests with very
 * many runs. {@link RawBroker} has the real stores.
 */
public final class MemoryBroker implements AutoCloseable {
  private final World world;

  /** Creates a broker whose connections use this allocator. */
  public MemoryBroker(SessionSettings settings, ByteBufAllocator buffers) {
    world = new World(settings);
    world.buffers = buffers;
  }

  /** Default settings with some values changed. */
  public static SessionSettings settings(Map<String, Object> changes) {
    SessionSettings settings = SessionSettings.defaults();
    for (Map.Entry<String, Object> change : changes.entrySet()) {
      settings = Settings.with(settings, change.getKey(), change.getValue());
    }
    return settings;
  }

  /** A connection on which nothing has been sent yet. */
  public MemoryConnection open() {
    return new MemoryConnection(world.open());
  }

  /** Stores stop responding until {@link #resume}. */
  public void hold() {
    world.tasks.hold();
  }

  public void resume() {
    world.tasks.resume();
    world.settle();
  }

  /** Advances the wall clock. */
  public void advanceClock(long seconds) {
    world.advanceClock(seconds);
  }

  /** Clients with a place in the registry. */
  public int sessions() {
    return world.registry.size();
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
  public static final class MemoryConnection {
    private final TestClient client;

    private MemoryConnection(TestClient client) {
      this.client = client;
    }

    public MemoryConnection send(byte[] bytes) {
      client.sendHex(ByteBufUtil.hexDump(bytes));
      return this;
    }

    /** Decodes received packets as MQTT 5 although the CONNECT was sent as bytes. */
    public void decodeMqtt5() {
      client.decodeMqtt5();
    }

    /** The packets received since the last call, as {@link TestClient#next} formats them. */
    public List<String> read() {
      return client.readAll();
    }

    /** Advances the clock of this connection's timeouts. */
    public void advance(long seconds) {
      client.advance(seconds);
    }

    /** Drops the connection without a DISCONNECT. */
    public void cut() {
      client.cut();
    }

    public boolean isOpen() {
      return client.isOpen();
    }
  }
}
