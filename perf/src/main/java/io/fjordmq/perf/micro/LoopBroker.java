package io.fjordmq.perf.micro;

import io.fjordmq.perf.inprocess.InProcessBroker;
import io.fjordmq.perf.inprocess.InProcessChannel;
import io.netty.buffer.ByteBuf;

/**
 * A node with one event loop for clients, on any machine, so that figures of different machines are
 * of the same work: nothing is handed from one loop to another.
 */
final class LoopBroker implements AutoCloseable {
  /** How fast clients are is what is measured. */
  private static final String UNHINDERED =
      """
      sessionConfig:
        readBytesPerSecond: 0
        writeBytesPerSecond: 0
      """;

  private final TemporaryFolder folder = new TemporaryFolder();
  private final Arrivals arrivals = new Arrivals();
  private final InProcessBroker broker;

  LoopBroker() throws Exception {
    try {
      broker = InProcessBroker.start(folder.path(), 1, UNHINDERED);
    } catch (Exception e) {
      folder.close();
      throw e;
    }
  }

  /** What comes to all clients. */
  Arrivals arrivals() {
    return arrivals;
  }

  /**
   * A client comes, sends its packets one after the other and waits for an answer to each.
   *
   * @param packets the first is a CONNECT
   */
  InProcessChannel client(ByteBuf... packets) throws InterruptedException {
    InProcessChannel client = new InProcessChannel((channel, written) -> arrivals.count(written));
    broker.adopt(client).syncUninterruptibly();
    for (ByteBuf packet : packets) {
      arrivals.expect(1);
      client.receive(packet);
      arrivals.await();
    }
    return client;
  }

  @Override
  public void close() throws Exception {
    broker.close();
    folder.close();
  }
}
