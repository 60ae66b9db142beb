package io.fjordmq.perf.sessions;

import io.fjordmq.perf.inprocess.InProcessBroker;
import io.fjordmq.perf.inprocess.InProcessChannel;
import io.fjordmq.perf.inprocess.Packets;
import io.netty.buffer.ByteBuf;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Measures the memory of a session: many clients connect to a broker in this process, subscribe to
 * a topic each and stay connected. Then some of them receive a message as a check.
 *
 * <p>{@code ManySessions COUNT clean|persistent}; started by {@code bin/sessions.sh}.
 */
public final class ManySessions implements AutoCloseable {
  private static final int CONNACK = 2;
  private static final int PUBLISH = 3;
  private static final int SUBACK = 9;
  private static final int AT_ONCE = 1_000;
  private static final int REPORT_EVERY = 50_000;
  private static final int ASKED = 1_000;
  private static final int PATIENCE_SECONDS = 60;
  private static final byte[] NO_PAYLOAD = {};

  private final InProcessBroker broker;
  private final boolean clean;
  private final Semaphore underWay = new Semaphore(AT_ONCE);
  private volatile @Nullable String fault;
  private volatile CountDownLatch asked = new CountDownLatch(0);

  private ManySessions(Path directory, boolean clean) throws Exception {
    this.clean = clean;
    this.broker = InProcessBroker.start(directory, 0, "");
  }

  /** Runs the benchmark; see the class. */
  public static void main(String[] args) throws Exception {
    if (args.length != 2 || !args[1].matches("clean|persistent")) {
      throw new IllegalArgumentException("usage: ManySessions COUNT clean|persistent");
    }
    int count = Integer.parseInt(args[0]);
    Path directory = Files.createTempDirectory("fjordmq-sessions");
    System.out.println("data and logs below " + directory);
    try (ManySessions sessions = new ManySessions(directory, args[1].equals("clean"))) {
      sessions.measure(count);
    }
    System.exit(0);
  }

  private void measure(int count) throws InterruptedException {
    final long before = heap();
    long start = System.nanoTime();
    for (int number = 0; number < count; number++) {
      underWay.acquire();
      connect(number);
      if ((number + 1) % REPORT_EVERY == 0) {
        System.out.printf(
            Locale.ROOT,
            "  %d started, %.0f per second%n",
            number + 1,
            (number + 1) * 1e9 / (System.nanoTime() - start));
      }
    }
    underWay.acquire(AT_ONCE); // wait for all of them
    underWay.release(AT_ONCE);
    String trouble = fault;
    if (trouble != null) {
      throw new IllegalStateException(trouble);
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    long after = heap();
    System.out.printf(
        Locale.ROOT,
        "%d %s sessions with a subscription each: %.0f MB of heap, %.2f KB each; connected and"
            + " subscribed at %.0f per second%n",
        count,
        clean ? "clean" : "persistent",
        after / 1e6,
        (after - before) / 1e3 / count,
        count / seconds);
    ask(count);
  }

  private void ask(int count) throws InterruptedException {
    int messages = Math.min(ASKED, count);
    CountDownLatch answers = new CountDownLatch(messages);
    asked = answers;
    CountDownLatch accepted = new CountDownLatch(1);
    InProcessChannel publisher = new InProcessChannel((channel, written) -> accepted.countDown());
    broker.adopt(publisher).syncUninterruptibly();
    publisher.receive(Packets.connect("publisher", true));
    accepted.await();
    for (int i = 0; i < messages; i++) {
      publisher.receive(
          Packets.publish(topic((int) ((long) i * count / messages)), 0, 0, NO_PAYLOAD));
    }
    boolean all = answers.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
    System.out.printf(
        "%d of %d test messages were delivered%n", messages - answers.getCount(), messages);
    if (!all) {
      throw new IllegalStateException("not every session received its message");
    }
  }

  private void connect(int number) {
    InProcessChannel client =
        new InProcessChannel((channel, written) -> answered(number, channel, written));
    broker
        .adopt(client)
        .addListener(done -> client.receive(Packets.connect("device-" + number, clean)));
    client.closeFuture().addListener(closed -> failed("client " + number + " was disconnected"));
  }

  /** The broker has written complete packets. */
  private void answered(int number, InProcessChannel channel, ByteBuf written) {
    switch (written.getUnsignedByte(written.readerIndex()) >> 4) {
      case CONNACK -> {
        int code = written.getByte(written.readerIndex() + 3);
        if (code == 0) {
          channel.receive(Packets.subscribe(topic(number)));
        } else {
          failed("client " + number + " was refused with return code " + code);
        }
      }
      case SUBACK -> underWay.release();
      case PUBLISH -> asked.countDown();
      default -> failed("client " + number + " received an unexpected packet");
    }
  }

  private void failed(String why) {
    if (fault == null) {
      fault = why;
    }
    underWay.release();
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
