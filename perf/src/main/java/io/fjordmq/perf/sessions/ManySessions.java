package io.fjordmq.perf.sessions;

import io.fjordmq.broker.Broker;
import io.fjordmq.broker.Observers;
import io.fjordmq.broker.config.ConfigLoader;
import io.fjordmq.broker.ops.BrokerMetrics;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How much memory a session takes: so many clients connect to a broker in this process, each
 * subscribes to a topic of its own and stays. Then some of them are sent a message, to see that
 * they live.
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

  private final Broker broker;
  private final boolean clean;
  private final Semaphore underWay = new Semaphore(AT_ONCE);
  private volatile @Nullable String fault;
  private volatile CountDownLatch asked = new CountDownLatch(0);

  private ManySessions(Path directory, boolean clean) throws Exception {
    this.clean = clean;
    Path file = directory.resolve("standalone.yml");
    Files.writeString(file, configuration());
    ConfigLoader.CommandLine line =
        new ConfigLoader.CommandLine(
            file, directory.resolve("data").toString(), directory.resolve("logs").toString());
    BrokerMetrics metrics = new BrokerMetrics();
    this.broker =
        Broker.start(
            ConfigLoader.load(line).config(),
            new Observers(
                metrics.consensus(),
                metrics.ranges(),
                metrics.inboxes(),
                metrics.delivery(),
                metrics.nodes(),
                metrics.sessions(),
                metrics.listeners(),
                metrics::traffic,
                metrics.security()));
  }

  private static String configuration() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return """
          bootstrap: true
          mqttServerConfig:
            tcpListener:
              host: 127.0.0.1
              port: 0
          clusterConfig:
            env: Perf
            host: 127.0.0.1
            port: %d
          """
          .formatted(free.getLocalPort());
    }
  }

  /** See the class. */
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
            "  %d begun, %.0f a second%n",
            number + 1,
            (number + 1) * 1e9 / (System.nanoTime() - start));
      }
    }
    underWay.acquire(AT_ONCE); // all of them are done
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
            + " subscribed %.0f a second%n",
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
    broker.server().adopt(publisher).syncUninterruptibly();
    publisher.receive(connectPacket("publisher", true));
    accepted.await();
    for (int i = 0; i < messages; i++) {
      publisher.receive(publishPacket(topic((int) ((long) i * count / messages))));
    }
    boolean all = answers.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
    System.out.printf(
        "%d of %d that were sent a message got it%n", messages - answers.getCount(), messages);
    if (!all) {
      throw new IllegalStateException("not every session lives");
    }
  }

  private void connect(int number) {
    InProcessChannel client =
        new InProcessChannel((channel, written) -> answered(number, channel, written));
    broker
        .server()
        .adopt(client)
        .addListener(done -> client.receive(connectPacket("device-" + number, clean)));
    client.closeFuture().addListener(closed -> failed("client " + number + " was sent away"));
  }

  /** The broker has written whole packets. */
  private void answered(int number, InProcessChannel channel, ByteBuf written) {
    switch (written.getUnsignedByte(written.readerIndex()) >> 4) {
      case CONNACK -> {
        int code = written.getByte(written.readerIndex() + 3);
        if (code == 0) {
          channel.receive(subscribePacket(topic(number)));
        } else {
          failed("client " + number + " was refused with return code " + code);
        }
      }
      case SUBACK -> underWay.release();
      case PUBLISH -> asked.countDown();
      default -> failed("client " + number + " got a packet nobody waits for");
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

  private static ByteBuf connectPacket(String clientId, boolean clean) {
    byte[] id = clientId.getBytes(StandardCharsets.UTF_8);
    return packet(0x10, 12 + id.length)
        .writeShort(4)
        .writeBytes(new byte[] {'M', 'Q', 'T', 'T'})
        .writeByte(4)
        .writeByte(clean ? 2 : 0)
        .writeShort(0)
        .writeShort(id.length)
        .writeBytes(id);
  }

  private static ByteBuf subscribePacket(String filter) {
    byte[] text = filter.getBytes(StandardCharsets.UTF_8);
    return packet(0x82, 5 + text.length)
        .writeShort(1)
        .writeShort(text.length)
        .writeBytes(text)
        .writeByte(0);
  }

  private static ByteBuf publishPacket(String topic) {
    byte[] text = topic.getBytes(StandardCharsets.UTF_8);
    return packet(0x30, 2 + text.length).writeShort(text.length).writeBytes(text);
  }

  /** At most 127 bytes long, as all of these are. */
  private static ByteBuf packet(int type, int length) {
    return ByteBufAllocator.DEFAULT.buffer(2 + length).writeByte(type).writeByte(length);
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
