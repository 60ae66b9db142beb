package io.fjordmq.perf.micro;

import io.fjordmq.perf.inprocess.Packets;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * One delivery of a message of 256 bytes with many subscribers, MQTT 3.1.1 with QoS 0: its share of
 * decoding and matching, and everything from there to the buffer for the socket. Each message
 * arrives in its own read, so that each delivery includes a flush.
 */
@State(Scope.Benchmark)
public class FanOut extends InProcessBenchmark {
  private static final int DELIVERIES = 10_000;
  private static final int PAYLOAD_BYTES = 256;
  private static final String TOPIC = "site/12/announcements";

  /** Number of subscribers; divides the deliveries of an invocation. */
  @Param({"10", "1000"})
  int subscribers;

  private final byte[] payload = new byte[PAYLOAD_BYTES];

  @Override
  void prepare() throws Exception {
    for (int i = 0; i < subscribers; i++) {
      broker.client(Packets.connect("subscriber-" + i, true), Packets.subscribe(TOPIC));
    }
  }

  @Benchmark
  @OperationsPerInvocation(DELIVERIES)
  public void deliver() throws InterruptedException {
    broker.receivedPackets().expect(DELIVERIES);
    for (int i = 0; i < DELIVERIES / subscribers; i++) {
      publisher.receive(Packets.publish(TOPIC, 0, 0, payload));
    }
    broker.receivedPackets().await();
  }
}
