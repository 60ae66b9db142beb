package io.fjordmq.perf.micro;

import io.fjordmq.perf.inprocess.InProcessChannel;
import io.fjordmq.perf.inprocess.Packets;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A PUBLISH to a client, of 256 bytes, MQTT 5 at QoS 0, encoded from the message to the buffer that
 * a socket would get. Each client has a subscription identifier of its own, so no two have a packet
 * in common, as is the rule where messages are not fanned out; {@link FanOut} is the other case. 50
 * messages come in one read, and as many packets to a client go in one buffer. A 64th of decoding
 * the message is in it.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Encode {
  private static final int CLIENTS = 64;
  private static final int MESSAGES = 50;
  private static final int PAYLOAD_BYTES = 256;
  private static final String TOPIC = "site/12/device-345/temperature";

  /** Of each message, of some 20 bytes. */
  @Param({"0", "4"})
  int userProperties;

  private final byte[] payload = new byte[PAYLOAD_BYTES];
  private LoopBroker broker;
  private InProcessChannel publisher;

  @Setup
  public void start() throws Exception {
    broker = new LoopBroker();
    publisher = broker.client(Packets.connect5("publisher"));
    for (int i = 1; i <= CLIENTS; i++) {
      broker.client(Packets.connect5("subscriber-" + i), Packets.subscribe5(TOPIC, i));
    }
  }

  @Benchmark
  @OperationsPerInvocation(CLIENTS * MESSAGES)
  public void deliver() throws InterruptedException {
    broker.arrivals().expect(CLIENTS * MESSAGES);
    List<ByteBuf> packets = new ArrayList<>(MESSAGES);
    for (int i = 0; i < MESSAGES; i++) {
      packets.add(Packets.publish5(TOPIC, userProperties, payload));
    }
    publisher.receive(Packets.inOneRead(packets));
    broker.arrivals().await();
  }

  @TearDown
  public void stop() throws Exception {
    broker.close();
  }
}
