package io.fjordmq.perf.micro;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * A PUBLISH of 256 bytes to a client, MQTT 5 with QoS 0, encoded from the message to the buffer for
 * the socket. Each client has its own subscription identifier, so that no two clients share a
 * packet, as is usual without fan-out; {@link FanOut} is the other case. One read brings 50
 * messages, and the same number of packets to a client go into one buffer. The figure includes 1/64
 * of decoding the message.
 */
@State(Scope.Benchmark)
public class Encode extends InProcessBenchmark {
  private static final int CLIENTS = 64;
  private static final int MESSAGES = 50;
  private static final int PAYLOAD_BYTES = 256;
  private static final String TOPIC = "site/12/device-345/temperature";

  /** User properties per message, of some 20 bytes each. */
  @Param({"0", "4"})
  int userProperties;

  private final byte[] payload = new byte[PAYLOAD_BYTES];

  @Override
  ByteBuf connect() {
    return MicroPackets.connect5("publisher");
  }

  @Override
  void prepare() throws Exception {
    for (int i = 1; i <= CLIENTS; i++) {
      broker.client(MicroPackets.connect5("subscriber-" + i), MicroPackets.subscribe5(TOPIC, i));
    }
  }

  @Benchmark
  @OperationsPerInvocation(CLIENTS * MESSAGES)
  public void deliver() throws InterruptedException {
    broker.receivedPackets().expect(CLIENTS * MESSAGES);
    List<ByteBuf> packets = new ArrayList<>(MESSAGES);
    for (int i = 0; i < MESSAGES; i++) {
      packets.add(MicroPackets.publish5(TOPIC, userProperties, payload));
    }
    publisher.receive(MicroPackets.joinPackets(packets));
    broker.receivedPackets().await();
  }
}
