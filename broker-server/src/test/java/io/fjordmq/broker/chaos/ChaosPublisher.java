package io.fjordmq.broker.chaos;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Publishes 0, 1, 2, … at a fixed rate, with a bounded number in flight, until it is stopped. */
final class ChaosPublisher {
  private static final int IN_FLIGHT = 20;

  /** Longer than any run, shorter than the largest clock jump. */
  private static final long EXPIRY_SECONDS = 86_400;

  /** Makes messages large enough to fill disks. */
  private static final String PADDING = " " + "x".repeat(1_000);

  private final String name;
  private final MqttQos qos;
  private final long periodNanos;
  private final History history;
  private final ChaosClient client;
  private final Semaphore permits = new Semaphore(IN_FLIGHT);
  private final Thread thread;
  private volatile boolean running = true;
  private final AtomicInteger acknowledged = new AtomicInteger();
  private final AtomicInteger highest = new AtomicInteger(-1);

  ChaosPublisher(ChaosClient client, History history, String name, MqttQos qos, int ratePerSecond) {
    this.name = name;
    this.qos = qos;
    this.periodNanos = 1_000_000_000L / ratePerSecond;
    this.history = history;
    this.client = client;
    this.thread = new Thread(this::publishAll, "publisher-" + name);
  }

  static String topic(String publisher) {
    return "chaos/" + publisher;
  }

  String name() {
    return name;
  }

  void start() {
    client.connect(true);
    thread.start();
  }

  /** The number of acknowledged messages. */
  int acknowledged() {
    return acknowledged.get();
  }

  /** The highest acknowledged number; -1 if none. */
  int highestAcknowledged() {
    return highest.get();
  }

  /**
   * Stops and waits until everything is acknowledged.
   *
   * @return the number of messages not acknowledged within that time
   */
  int finish(long seconds) throws InterruptedException {
    running = false;
    thread.join(TimeUnit.SECONDS.toMillis(seconds));
    boolean all = permits.tryAcquire(IN_FLIGHT, seconds, TimeUnit.SECONDS);
    return all ? 0 : IN_FLIGHT - permits.availablePermits();
  }

  private void publishAll() {
    long next = System.nanoTime();
    for (int number = 0; running; number++) {
      permits.acquireUninterruptibly();
      publish(number);
      next = Math.max(next + periodNanos, System.nanoTime() - periodNanos);
      LockSupport.parkNanos(next - System.nanoTime());
    }
  }

  private void publish(int number) {
    history.add(millis -> new HistoryEvent.Published(millis, name, number));
    client
        .mqtt()
        .publishWith()
        .topic(topic(name))
        .qos(qos)
        .messageExpiryInterval(EXPIRY_SECONDS)
        .payload((number + PADDING).getBytes(StandardCharsets.UTF_8))
        .send()
        .whenComplete(
            (result, failure) -> {
              Throwable fault = failure != null ? failure : result.getError().orElse(null);
              if (fault == null) {
                history.add(millis -> new HistoryEvent.Acknowledged(millis, name, number));
                acknowledged.incrementAndGet();
                highest.accumulateAndGet(number, Math::max);
              } else {
                history.note(name + " " + number + " was refused: " + fault);
              }
              permits.release();
            });
  }

  /** Returns to its first node, so that not all publishers end up at the same one. */
  void returnHome() {
    client.returnHome();
  }

  void close() {
    client.leave();
  }
}
