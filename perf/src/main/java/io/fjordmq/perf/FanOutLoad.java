package io.fjordmq.perf;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One publisher whose every message goes to all subscribers: how long until the last of them has
 * it, and what a delivery costs. The next message is sent when the one before is everywhere.
 */
final class FanOutLoad implements AutoCloseable {
  private static final String TOPIC = "fan/out";
  private static final int MESSAGE_SECONDS = 20;
  private static final int PAUSE_MILLIS = 100;

  /**
   * What so many messages showed.
   *
   * @param cpuMicrosPerDelivery of the broker
   * @param lastMillis from sending to the last subscriber, the median of all messages
   * @param missing deliveries that did not come
   */
  record Result(double cpuMicrosPerDelivery, double lastMillis, long missing) {}

  private final ClientLoops loops;
  private final int qos;
  private final byte[] padding;
  private final List<LoadClient> clients = new ArrayList<>();
  private final LoadClient publisher;
  private volatile CountDownLatch waiting = new CountDownLatch(0);

  /**
   * @param qos of publishes and subscriptions, 0 or 1
   */
  FanOutLoad(ClientLoops loops, int qos, int payloadBytes) {
    this.loops = loops;
    this.qos = qos;
    this.padding = new byte[payloadBytes];
    this.publisher = new LoadClient("fan-publisher", true, new Subscriber());
  }

  void connect(int subscribers) throws InterruptedException, ExecutionException, TimeoutException {
    Waves waves = new Waves();
    waves.add(loops.connect(publisher));
    clients.add(publisher);
    for (int i = 0; i < subscribers; i++) {
      LoadClient client = new LoadClient("fan-" + i, true, new Subscriber());
      clients.add(client);
      waves.add(loops.connect(client).thenCompose(connected -> connected.subscribe(TOPIC, qos)));
    }
    waves.await();
  }

  Result publish(int messages, long brokerPid) throws InterruptedException {
    int subscribers = clients.size() - 1;
    double[] millis = new double[messages];
    long missing = 0;
    long cpuBefore = ProcessUsage.of(brokerPid).cpuMicros();
    for (int i = 0; i < messages; i++) {
      CountDownLatch all = new CountDownLatch(subscribers);
      waiting = all;
      long start = System.nanoTime();
      send();
      boolean came = all.await(MESSAGE_SECONDS, TimeUnit.SECONDS);
      millis[i] = (System.nanoTime() - start) / 1e6;
      missing += came ? 0 : all.getCount();
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    }
    long cpu = ProcessUsage.of(brokerPid).cpuMicros() - cpuBefore;
    Arrays.sort(millis);
    return new Result(cpu / ((double) messages * subscribers), millis[messages / 2], missing);
  }

  private void send() {
    ByteBuf out = publisher.channel().alloc().buffer();
    byte[] topic = TOPIC.getBytes(StandardCharsets.UTF_8);
    int identifier = qos == 0 ? 0 : publisher.nextPacketIdentifier();
    MqttWire.publish(out, topic, qos, identifier, padding.length);
    out.writeBytes(padding);
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

  /** Counts; the publisher only gets acknowledgements. */
  private final class Subscriber implements LoadClient.Receiver {
    @Override
    public void onPublish(ByteBuf payload) {
      waiting.countDown();
    }

    @Override
    public void onPuback(int packetIdentifier) {
      // Of the publisher: whether the message is everywhere is what counts.
    }
  }
}
