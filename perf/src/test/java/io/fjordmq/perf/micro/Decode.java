package io.fjordmq.perf.micro;

import io.fjordmq.perf.inprocess.Packets;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * A PUBLISH of 256 bytes without subscribers, MQTT 3.1.1: framed, decoded, checked by the session,
 * matched against an empty route table, and acknowledged with QoS 1. They arrive 100 at a time, as
 * from the socket of a busy client.
 */
@State(Scope.Benchmark)
public class Decode extends InProcessBenchmark {
  private static final int PACKETS = 5_000;
  private static final int PACKETS_PER_READ = 100;
  private static final int PAYLOAD_BYTES = 256;

  /** QoS of the packets. */
  @Param({"0", "1"})
  int qos;

  private final List<byte[]> reads = new ArrayList<>();

  @Override
  void prepare() throws Exception {
    byte[] payload = new byte[PAYLOAD_BYTES];
    for (int first = 1; first <= PACKETS; first += PACKETS_PER_READ) {
      List<ByteBuf> packets = new ArrayList<>();
      for (int i = first; i < first + PACKETS_PER_READ; i++) {
        packets.add(Packets.publish("site/12/device-345/temperature", qos, i, payload));
      }
      ByteBuf read = MicroPackets.joinPackets(packets);
      byte[] bytes = new byte[read.readableBytes()];
      read.readBytes(bytes).release();
      reads.add(bytes);
    }
  }

  @Benchmark
  @OperationsPerInvocation(PACKETS)
  public void publish() throws InterruptedException {
    // A PUBACK for each, or one PINGRESP after all of them.
    broker.receivedPackets().expect(qos == 0 ? 1 : PACKETS);
    for (byte[] read : reads) {
      publisher.receive(ByteBufAllocator.DEFAULT.buffer(read.length).writeBytes(read));
    }
    if (qos == 0) {
      publisher.receive(MicroPackets.ping());
    }
    broker.receivedPackets().await();
  }
}
