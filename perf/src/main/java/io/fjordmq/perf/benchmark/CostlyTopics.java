package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.LoadClient;
import io.fjordmq.perf.MqttPacketWriter;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * A client that makes topic matching as expensive as possible. It subscribes to 8,192 filters, each
 * with 13 levels of {@code a} or {@code +} and a final {@code z}. Then it publishes empty messages
 * to ever-changing topics that match no filter but make the broker visit every node of its filter
 * trie. The last message of each burst has QoS 1, so that its PUBACK shows that the broker has
 * handled the burst; the others have QoS 0.
 */
final class CostlyTopics implements AutoCloseable {
  private static final int LEVELS = 13;
  private static final int FILTERS_PER_PACKET = 1_024;
  private static final int BURST = 64;
  private static final int IDLE_MILLIS = 1;
  private static final int SETUP_SECONDS = 60;

  private final LoadClient client;
  private final LongAdder bursts = new LongAdder();
  private volatile boolean open = true;
  private long number = System.nanoTime();

  /** Connects and subscribes. */
  CostlyTopics(ClientLoops loops) throws Exception {
    client =
        loops
            .connect(new LoadClient("costly-topics", true, new Acknowledged()))
            .get(SETUP_SECONDS, TimeUnit.SECONDS);
    List<String> filters = filters();
    for (int from = 0; from < filters.size(); from += FILTERS_PER_PACKET) {
      CompletableFuture<LoadClient> subscribed =
          client.subscribe(filters.subList(from, from + FILTERS_PER_PACKET), 0);
      subscribed.get(SETUP_SECONDS, TimeUnit.SECONDS);
    }
  }

  private static List<String> filters() {
    List<String> filters = new ArrayList<>();
    for (int bits = 0; bits < 1 << LEVELS; bits++) {
      StringBuilder filter = new StringBuilder();
      for (int level = 0; level < LEVELS; level++) {
        filter.append((bits >> level & 1) == 0 ? "a/" : "+/");
      }
      filters.add(filter.append('z').toString());
    }
    return filters;
  }

  /** Starts publishing as fast as the broker reads, until this object is closed. */
  void start() {
    client.channel().eventLoop().execute(this::publish);
  }

  private void publish() {
    Channel channel = client.channel();
    if (!open || !channel.isActive()) {
      return;
    }
    boolean writable = channel.isWritable();
    for (int i = 0; writable && i < BURST; i++) {
      byte[] topic = ("a/".repeat(LEVELS) + number++).getBytes(StandardCharsets.UTF_8);
      ByteBuf out = channel.alloc().buffer();
      if (i < BURST - 1) {
        MqttPacketWriter.publish(out, topic, 0, 0, 0);
      } else {
        MqttPacketWriter.publish(out, topic, 1, client.nextPacketIdentifier(), 0);
      }
      channel.write(out, channel.voidPromise());
    }
    channel.flush();
    channel.eventLoop().schedule(this::publish, writable ? 0 : IDLE_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Returns the number of publishes handled by the broker. */
  long handled() {
    return bursts.sum() * BURST;
  }

  @Override
  public void close() {
    open = false;
    client.close();
  }

  private final class Acknowledged implements LoadClient.Receiver {
    @Override
    public void onPuback(int packetIdentifier) {
      bursts.increment();
    }
  }
}
