package io.fjordmq.perf.micro;

import io.fjordmq.perf.inprocess.InProcessBroker;
import io.fjordmq.perf.inprocess.InProcessChannel;
import io.fjordmq.perf.machine.RunDirectory;
import io.netty.buffer.ByteBuf;

/**
 * A node with one event loop for clients on any host, so that figures of different hosts cover the
 * same work: nothing is passed between loops.
 */
final class SingleLoopBroker implements AutoCloseable {
  /** No rate limits, because the speed of clients is what is measured. */
  private static final String UNLIMITED =
      """
      sessionConfig:
        readBytesPerSecond: 0
        writeBytesPerSecond: 0
      """;

  private final RunDirectory directory = RunDirectory.make();
  private final ReceivedPackets receivedPackets = new ReceivedPackets();
  private final InProcessBroker broker;

  SingleLoopBroker() throws Exception {
    try {
      broker = InProcessBroker.start(directory.path(), 1, UNLIMITED);
    } catch (Exception e) {
      directory.delete();
      throw e;
    }
  }

  /** Packets received by all clients. */
  ReceivedPackets receivedPackets() {
    return receivedPackets;
  }

  /**
   * Connects a client that sends its packets one at a time and waits for each response.
   *
   * @param packets the first is a CONNECT
   */
  InProcessChannel client(ByteBuf... packets) throws InterruptedException {
    InProcessChannel client =
        new InProcessChannel((channel, written) -> receivedPackets.count(written));
    broker.adopt(client).syncUninterruptibly();
    for (ByteBuf packet : packets) {
      receivedPackets.expect(1);
      client.receive(packet);
      receivedPackets.await();
    }
    return client;
  }

  @Override
  public void close() throws Exception {
    broker.close();
    directory.delete();
  }
}
