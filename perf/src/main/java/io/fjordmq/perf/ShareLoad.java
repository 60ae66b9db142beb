package io.fjordmq.perf;

import io.fjordmq.perf.check.Ledger;
import io.fjordmq.perf.check.Mix;
import io.fjordmq.perf.check.SentMessages;
import io.fjordmq.perf.check.SharedLedger;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;

/**
 * Many publishers in an open loop to the few members of one shared subscription, where each message
 * goes to one member. As a baseline, each publisher has its own subscriber, with the same schedule.
 */
final class ShareLoad implements SentMessages, AutoCloseable {
  private static final int DRAIN_SECONDS = 10;

  /**
   * The result.
   *
   * @param cpuMicrosPerMessage the broker's CPU time / (sent + received) in the measured period
   * @param missing of all messages sent; likewise the others
   * @param outOfOrder after a later one of the same publisher at the same subscriber
   * @param misrouted delivered to a client without a subscription for it
   */
  record Result(
      double messagesPerSecond,
      double cpuMicrosPerMessage,
      long missing,
      long duplicated,
      long outOfOrder,
      long misrouted) {}

  private final ClientLoops loops;
  private final boolean shared;
  private final int qos;
  private final int ratePerSecond;
  private final byte[] padding;
  private final List<Publisher> publishers = new ArrayList<>();
  private final List<LoadClient> members = new ArrayList<>();
  private final LongAdder allSent = new LongAdder();
  private final LongAdder received = new LongAdder();
  private final LongAdder duplicated = new LongAdder();
  private final LongAdder outOfOrder = new LongAdder();
  private final LongAdder misrouted = new LongAdder();
  private SharedLedger ledger = new SharedLedger(0, Mix.ALL);
  private volatile boolean publishing;

  /**
   * @param shared false for one subscriber per publisher
   * @param qos of publishes and the subscription, 0 or 1
   * @param ratePerSecond messages per second and publisher
   * @param payloadBytes at least 8
   */
  ShareLoad(ClientLoops loops, boolean shared, int qos, int ratePerSecond, int payloadBytes) {
    this.loops = loops;
    this.shared = shared;
    this.qos = qos;
    this.ratePerSecond = ratePerSecond;
    this.padding = new byte[payloadBytes - 2 * Integer.BYTES];
  }

  /**
   * @param memberCount members of the share; equal to the publishers if not shared
   */
  void connect(int publisherCount, int memberCount)
      throws InterruptedException, ExecutionException, TimeoutException {
    Waves waves = new Waves();
    ledger = new SharedLedger(publisherCount, Mix.ALL);
    for (int i = 0; i < memberCount; i++) {
      LoadClient member = new LoadClient("member-" + i, true, new Member(i, ledger.member()));
      String filter = shared ? "$share/work/share/+" : "share/" + i;
      members.add(member);
      waves.add(
          loops.connect(member, i).thenCompose(connected -> connected.subscribe(filter, qos)));
    }
    waves.await();
    for (int i = 0; i < publisherCount; i++) {
      Publisher publisher = new Publisher(i);
      publishers.add(publisher);
      waves.add(loops.connect(publisher.client, i));
    }
    waves.await();
  }

  Result run(int warmSeconds, int seconds, long brokerPid) throws InterruptedException {
    publishing = true;
    publishers.forEach(Publisher::start);
    TimeUnit.SECONDS.sleep(warmSeconds);
    long cpuBefore = ProcessUsage.of(brokerPid).cpuMicros();
    long before = allSent.sum() + received.sum();
    TimeUnit.SECONDS.sleep(seconds);
    long messages = allSent.sum() + received.sum() - before;
    long cpu = ProcessUsage.of(brokerPid).cpuMicros() - cpuBefore;
    publishing = false;
    loops.awaitTurns();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DRAIN_SECONDS);
    while (missing() > 0 && System.nanoTime() < deadline) {
      TimeUnit.MILLISECONDS.sleep(50);
    }
    return new Result(
        messages / (double) seconds,
        cpu / (double) messages,
        missing(),
        duplicated.sum(),
        outOfOrder.sum(),
        misrouted.sum());
  }

  private long missing() {
    return ledger.missing(this).lost();
  }

  @Override
  public int count(int publisher) {
    return publishers.get(publisher).sent;
  }

  /** Every sent message is expected, acknowledged or not. */
  @Override
  public boolean isAnswered(int publisher, int number) {
    return true;
  }

  @Override
  public void close() {
    publishing = false;
    members.forEach(ShareLoad::end);
    publishers.forEach(publisher -> end(publisher.client));
  }

  private static void end(LoadClient client) {
    if (client.connected().isDone() && !client.connected().isCompletedExceptionally()) {
      client.close();
    }
  }

  /** Belongs to its channel's event loop; other threads read the number of messages sent. */
  private final class Publisher implements LoadClient.Receiver {
    private final int number;
    private final LoadClient client;
    private final byte[] topic;

    private volatile int sent;

    Publisher(int number) {
      this.number = number;
      this.client = new LoadClient("share-publisher-" + number, true, this);
      this.topic = ("share/" + number).getBytes(StandardCharsets.UTF_8);
    }

    /** Publishers are spread evenly over one interval. */
    void start() {
      long interval = TimeUnit.SECONDS.toNanos(1) / ratePerSecond;
      client
          .channel()
          .eventLoop()
          .scheduleAtFixedRate(
              this::publish, interval * number / publishers.size(), interval, TimeUnit.NANOSECONDS);
    }

    @SuppressWarnings("NonAtomicOperationOnVolatileField") // one event loop writes
    private void publish() {
      if (!publishing || !client.channel().isActive()) {
        return;
      }
      ByteBuf out = client.channel().alloc().buffer();
      int identifier = qos == 0 ? 0 : client.nextPacketIdentifier();
      MqttWire.publish(out, topic, qos, identifier, 2 * Integer.BYTES + padding.length);
      out.writeInt(number).writeInt(sent++).writeBytes(padding);
      allSent.increment();
      client.channel().writeAndFlush(out, client.channel().voidPromise());
    }

    @Override
    public void onPublish(ByteBuf payload) {
      throw new IllegalStateException("a publisher without a subscription received a message");
    }

    @Override
    public void onPuback(int packetIdentifier) {
      // Only deliveries count.
    }
  }

  /** A member of the share. */
  private final class Member implements LoadClient.Receiver {
    private final int place;
    private final Ledger own;

    Member(int place, Ledger own) {
      this.place = place;
      this.own = own;
    }

    @Override
    public void onPublish(ByteBuf payload) {
      int publisher = payload.readInt();
      if (!shared && publisher != place) {
        misrouted.increment();
        return;
      }
      switch (own.accept(publisher, payload.readInt())) {
        case NEW -> {}
        case OUT_OF_ORDER -> outOfOrder.increment();
        case DUPLICATE -> duplicated.increment();
        case MISROUTED -> misrouted.increment();
      }
      received.increment();
    }

    @Override
    public void onPuback(int packetIdentifier) {
      throw new IllegalStateException("a member received a PUBACK without publishing");
    }
  }
}
