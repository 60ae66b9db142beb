package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.MqttPacketWriter;
import io.fjordmq.perf.inprocess.InProcessBroker;
import io.fjordmq.perf.inprocess.InProcessChannel;
import io.fjordmq.perf.inprocess.Packets;
import io.fjordmq.perf.load.ResultMetric;
import io.netty.buffer.ByteBuf;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Measures the memory of a session: many clients connect to a broker in this process, subscribe to
 * one topic each and stay connected. As a check, some of them then receive a message.
 */
final class SessionBenchmark implements AutoCloseable {
  private static final int CONCURRENT_CONNECTS = 1_000;
  private static final int REPORT_INTERVAL = 50_000;
  private static final int TEST_MESSAGES = 1_000;
  private static final int TIMEOUT_SECONDS = 60;
  private static final byte[] NO_PAYLOAD = {};

  private final BenchmarkRun run;
  private final int count;
  private final boolean clean;
  private final InProcessBroker broker;
  private final Semaphore connecting = new Semaphore(CONCURRENT_CONNECTS);
  private volatile @Nullable String failure;
  private volatile CountDownLatch deliveries = new CountDownLatch(0);

  private SessionBenchmark(BenchmarkRun run) throws Exception {
    this.run = run;
    this.count = run.number("count");
    this.clean = run.choice("kind", "clean", "persistent").equals("clean");
    Path directory = Files.createDirectories(run.settings().work().resolve("node"));
    this.broker = InProcessBroker.start(directory, 0, "");
  }

  static void run(BenchmarkRun run) throws Exception {
    try (SessionBenchmark benchmark = new SessionBenchmark(run)) {
      run.add(
          benchmark.measure().result("%,d %s".formatted(benchmark.count, run.parameter("kind"))));
    }
  }

  private Measurement measure() throws InterruptedException {
    final long before = heap();
    final long start = System.nanoTime();
    for (int number = 0; number < count; number++) {
      connecting.acquire();
      connect(number);
      if ((number + 1) % REPORT_INTERVAL == 0) {
        double perSecond = (number + 1) * 1e9 / (System.nanoTime() - start);
        run.progress("%d connected, %.0f per second".formatted(number + 1, perSecond));
      }
    }
    connecting.acquire(CONCURRENT_CONNECTS); // wait for the last clients
    connecting.release(CONCURRENT_CONNECTS);
    String failed = failure;
    if (failed != null) {
      throw new IllegalStateException(failed);
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    long after = heap();
    return new Measurement()
        .put(ResultMetric.CONNECTED, count)
        .put(ResultMetric.CONNECTS, count / seconds)
        .put(ResultMetric.HEAP_MB, after / 1e6)
        .put(ResultMetric.CONNECTION_KB, (after - before) / 1e3 / count)
        .faults(ResultMetric.LOST, undelivered());
  }

  /** Sends a message to some of the sessions; returns how many did not arrive. */
  private long undelivered() throws InterruptedException {
    int messages = Math.min(TEST_MESSAGES, count);
    CountDownLatch pending = new CountDownLatch(messages);
    deliveries = pending;
    CountDownLatch accepted = new CountDownLatch(1);
    InProcessChannel publisher = new InProcessChannel((channel, written) -> accepted.countDown());
    broker.adopt(publisher).syncUninterruptibly();
    publisher.receive(Packets.connect("publisher", true));
    accepted.await();
    for (int i = 0; i < messages; i++) {
      publisher.receive(
          Packets.publish(topic((int) ((long) i * count / messages)), 0, 0, NO_PAYLOAD));
    }
    boolean all = pending.await(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    return all ? 0 : pending.getCount();
  }

  private void connect(int number) {
    InProcessChannel client =
        new InProcessChannel((channel, written) -> onPacket(number, channel, written));
    broker
        .adopt(client)
        .addListener(done -> client.receive(Packets.connect("device-" + number, clean)));
    client.closeFuture().addListener(closed -> fail("client " + number + " was disconnected"));
  }

  /** Handles complete packets that the broker has written. */
  private void onPacket(int number, InProcessChannel channel, ByteBuf written) {
    switch (written.getUnsignedByte(written.readerIndex()) >> 4) {
      case MqttPacketWriter.CONNACK -> {
        int code = written.getByte(written.readerIndex() + 3);
        if (code == 0) {
          channel.receive(Packets.subscribe(topic(number)));
        } else {
          fail("client " + number + " was refused with return code " + code);
        }
      }
      case MqttPacketWriter.SUBACK -> connecting.release();
      case MqttPacketWriter.PUBLISH -> deliveries.countDown();
      default -> fail("client " + number + " received an unexpected packet");
    }
  }

  private void fail(String reason) {
    if (failure == null) {
      failure = reason;
    }
    connecting.release();
  }

  private static String topic(int number) {
    return "fleet/" + number + "/commands";
  }

  private static long heap() {
    System.gc();
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  @Override
  public void close() {
    broker.close();
  }
}
