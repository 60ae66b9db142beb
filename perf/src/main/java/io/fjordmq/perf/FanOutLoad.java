package io.fjordmq.perf;

import io.fjordmq.perf.check.Stream;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.ToLongFunction;

/**
 * One publisher whose messages go to all subscribers: the time until the last subscriber has
 * received a message, and the cost per delivery. The next message is sent when the previous one has
 * been delivered everywhere.
 */
class FanOutLoad implements AutoCloseable {
  private static final String TOPIC = "fan/out";
  private static final int MESSAGE_SECONDS = 20;
  private static final int PAUSE_MILLIS = 100;

  /**
   * The result for the given number of messages, and all errors since {@link #connect}.
   *
   * @param cpuMicrosPerDelivery of the broker
   * @param lastMillis from send to the last delivery, median of all messages
   * @param missing deliveries that did not arrive; likewise {@code duplicated} and {@code
   *     outOfOrder}
   */
  record Result(
      double cpuMicrosPerDelivery,
      double lastMillis,
      long missing,
      long duplicated,
      long outOfOrder) {}

  private final ClientLoops loops;
  private final int qos;
  private final byte[] padding;
  private final List<LoadClient> clients = new ArrayList<>();
  private final List<Subscriber> subscribers = new ArrayList<>();
  private final LoadClient publisher;
  private volatile Message latest = new Message(-1, new CountDownLatch(0));
  private int sent;

  /** A message in flight, and how many subscribers still wait for it. */
  private record Message(int number, CountDownLatch waiting) {}

  /**
   * @param qos of publishes and subscriptions, 0 or 1
   * @param payloadBytes at least 4
   */
  FanOutLoad(ClientLoops loops, int qos, int payloadBytes) {
    this.loops = loops;
    this.qos = qos;
    this.padding = new byte[payloadBytes - Integer.BYTES];
    this.publisher = new LoadClient("fan-publisher", true, new Acknowledgements());
  }

  void connect(int count) throws InterruptedException, ExecutionException, TimeoutException {
    Waves waves = new Waves();
    waves.add(loops.connect(publisher));
    clients.add(publisher);
    for (int i = 0; i < count; i++) {
      Subscriber subscriber = new Subscriber();
      subscribers.add(subscriber);
      LoadClient client = new LoadClient("fan-" + i, true, subscriber);
      clients.add(client);
      waves.add(loops.connect(client).thenCompose(connected -> connected.subscribe(TOPIC, qos)));
    }
    waves.await();
  }

  Result publish(int messages, long brokerPid) throws InterruptedException {
    double[] millis = new double[messages];
    long cpuBefore = ProcessUsage.of(brokerPid).cpuMicros();
    for (int i = 0; i < messages; i++) {
      CountDownLatch all = new CountDownLatch(subscribers.size());
      latest = new Message(sent, all);
      long start = System.nanoTime();
      send();
      await(all);
      millis[i] = (System.nanoTime() - start) / 1e6;
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    }
    long cpu = ProcessUsage.of(brokerPid).cpuMicros() - cpuBefore;
    Arrays.sort(millis);
    return new Result(
        cpu / ((double) messages * subscribers.size()),
        millis[messages / 2],
        sum(subscriber -> subscriber.missing(sent)),
        duplicated(),
        sum(Subscriber::outOfOrder));
  }

  /**
   * Waits for all deliveries of a message, up to a timeout.
   *
   * @param waiting counts the missing deliveries
   */
  void await(CountDownLatch waiting) throws InterruptedException {
    waiting.await(MESSAGE_SECONDS, TimeUnit.SECONDS); // times out if a delivery is missing
  }

  /** Duplicate deliveries so far. */
  long duplicated() {
    return sum(Subscriber::duplicated);
  }

  private long sum(ToLongFunction<Subscriber> of) {
    return subscribers.stream().mapToLong(of).sum();
  }

  private void send() {
    ByteBuf out = publisher.channel().alloc().buffer();
    byte[] topic = TOPIC.getBytes(StandardCharsets.UTF_8);
    int identifier = qos == 0 ? 0 : publisher.nextPacketIdentifier();
    MqttWire.publish(out, topic, qos, identifier, Integer.BYTES + padding.length);
    out.writeInt(sent++).writeBytes(padding);
    publisher.channel().writeAndFlush(out, publisher.channel().voidPromise());
  }

  @Override
  public void close() {
    for (LoadClient client : clients) {
      if (client.connected().isDone() && !client.connected().isCompletedExceptionally()) {
        client.close();
      }
    }
  }

  /** Checks each message. Written by its event loop, read by the runner. */
  private final class Subscriber implements LoadClient.Receiver {
    private final Stream stream = new Stream();
    private long duplicated;
    private long outOfOrder;

    @Override
    public void onPublish(ByteBuf payload) {
      int number = payload.readInt();
      if (isNew(number)) {
        Message message = latest;
        if (number == message.number) {
          message.waiting.countDown();
        }
      }
    }

    private synchronized boolean isNew(int number) {
      Stream.Outcome outcome = stream.accept(number);
      duplicated += outcome == Stream.Outcome.DUPLICATE ? 1 : 0;
      outOfOrder += outcome == Stream.Outcome.LATE ? 1 : 0;
      return outcome != Stream.Outcome.DUPLICATE;
    }

    synchronized long missing(int of) {
      return stream.missing(of);
    }

    synchronized long duplicated() {
      return duplicated;
    }

    synchronized long outOfOrder() {
      return outOfOrder;
    }

    @Override
    public void onPuback(int packetIdentifier) {
      throw new IllegalStateException("a subscriber received a PUBACK without publishing");
    }
  }

  /** Packets for the publisher. */
  private static final class Acknowledgements implements LoadClient.Receiver {
    @Override
    public void onPublish(ByteBuf payload) {
      throw new IllegalStateException("a publisher without a subscription received a message");
    }

    @Override
    public void onPuback(int packetIdentifier) {
      // Only deliveries count.
    }
  }
}
