package io.fjordmq.broker.training;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttVersion;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Applies a load to the nodes of a cluster on the loopback interface: {@code TrainingLoad
 * PORT[,PORT]... SECONDS}. The exit code is 0 if the nodes served every client, and 1 otherwise.
 */
public final class TrainingLoad {
  /** One message in flight exercises the code for single messages, several exercise batching. */
  private static final List<Integer> IN_FLIGHT = List.of(1, 16);

  private static final List<MqttVersion> VERSIONS =
      List.of(MqttVersion.MQTT_3_1_1, MqttVersion.MQTT_5);

  private final EventLoopGroup loops;
  private final List<InetSocketAddress> nodes;

  private TrainingLoad(EventLoopGroup loops, List<InetSocketAddress> nodes) {
    this.loops = loops;
    this.nodes = nodes;
  }

  public static void main(String[] args) {
    if (args.length != 2) {
      throw new IllegalArgumentException("usage: TrainingLoad PORT[,PORT]... SECONDS");
    }
    List<Integer> ports = Stream.of(args[0].split(",", -1)).map(Integer::valueOf).toList();
    long messages = apply(ports, Integer.parseInt(args[1]));
    System.out.println("delivered " + messages + " messages");
  }

  /**
   * Applies the load to the nodes at the given ports of the loopback interface. With several nodes,
   * publishers and subscribers of most pairs are connected to different ones.
   *
   * @param ports one or more
   * @param seconds time in seconds after which no new session tour begins
   * @return the number of messages that subscribers received
   * @throws IllegalStateException if the nodes did not serve every client
   */
  public static long apply(List<Integer> ports, int seconds) {
    EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    try {
      List<InetSocketAddress> nodes =
          ports.stream()
              .map(port -> new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
              .toList();
      return new TrainingLoad(loops, nodes).run(TimeUnit.SECONDS.toNanos(seconds));
    } finally {
      loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
  }

  private long run(long nanos) {
    long start = System.nanoTime();
    List<TrainingPair> pairs = pairs();
    for (int i = 0; i < pairs.size(); i++) {
      pairs.get(i).start(IN_FLIGHT.get(i % IN_FLIGHT.size()));
    }
    List<SessionTour> tourPerNode =
        nodes.stream().map(node -> new SessionTour(loops, node)).toList();
    int tours = 0;
    do {
      tourPerNode.get(tours % nodes.size()).run(tours, VERSIONS.get(tours % VERSIONS.size()));
      tours++;
    } while (System.nanoTime() - start < nanos);
    pairs.forEach(TrainingPair::end);
    if (pairs.stream().anyMatch(pair -> pair.received() == 0)) {
      throw new IllegalStateException("at least one training subscriber received no messages");
    }
    return pairs.stream().mapToLong(TrainingPair::received).sum();
  }

  /**
   * Returns one pair for each combination of version, session type, QoS and number of messages in
   * flight.
   */
  private List<TrainingPair> pairs() {
    List<TrainingPair> pairs = new ArrayList<>();
    for (MqttVersion version : VERSIONS) {
      for (boolean persistent : new boolean[] {false, true}) {
        for (MqttQoS qos :
            List.of(MqttQoS.AT_MOST_ONCE, MqttQoS.AT_LEAST_ONCE, MqttQoS.EXACTLY_ONCE)) {
          for (int inFlight : IN_FLIGHT) {
            String clientId =
                version.name() + (persistent ? "-p" : "-c") + qos.value() + "-" + inFlight;
            int number = pairs.size();
            pairs.add(
                new TrainingPair(
                    loops,
                    node(number),
                    node(number + number / nodes.size()),
                    new TrainingClient.Identity(clientId, version, persistent),
                    qos));
          }
        }
      }
    }
    return pairs;
  }

  private InetSocketAddress node(int number) {
    return nodes.get(number % nodes.size());
  }
}
