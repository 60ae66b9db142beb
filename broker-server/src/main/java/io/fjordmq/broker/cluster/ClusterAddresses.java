package io.fjordmq.broker.cluster;

import io.fjordmq.broker.config.ClusterConfig;
import io.fjordmq.broker.lifecycle.StartException;
import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.SeedLookup;
import io.fjordmq.cluster.SeedSource;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/**
 * The configured addresses of this node and its seeds.
 *
 * @param own the address at which other nodes reach this node's cluster port
 * @param seeds where to find the cluster; may include this node
 * @param bind the address of the cluster port; Raft listens on the next port
 */
public record ClusterAddresses(NodeAddress own, SeedSource seeds, InetSocketAddress bind) {

  /**
   * Resolves the address of this node. A node without a host and seeds listens on the loopback
   * address only.
   *
   * @throws StartException if a name that this needs cannot be resolved; the message contains the
   *     name
   */
  public static ClusterAddresses of(ClusterConfig config) throws StartException {
    List<NodeAddress> endpoints = endpoints(config);
    SeedSource seeds = new SeedLookup(endpoints);
    String host = config.host();
    if (host.isBlank()) {
      InetAddress found =
          endpoints.isEmpty() ? InetAddress.getLoopbackAddress() : localAddressTowards(endpoints);
      return new ClusterAddresses(
          new NodeAddress(found.getHostAddress(), config.port()),
          seeds,
          new InetSocketAddress(found, config.port()));
    }
    return new ClusterAddresses(new NodeAddress(host, config.port()), seeds, bind(config));
  }

  private static List<NodeAddress> endpoints(ClusterConfig config) {
    List<NodeAddress> seeds = new ArrayList<>();
    if (!config.seedEndpoints().isBlank()) {
      for (String endpoint : config.seedEndpoints().split(",", -1)) {
        String text = endpoint.strip();
        int colon = text.lastIndexOf(':');
        String name = text.substring(0, colon).replaceAll("^\\[|]$", "");
        seeds.add(new NodeAddress(name, Integer.parseInt(text.substring(colon + 1))));
      }
    }
    String domain = config.clusterDomainName();
    if (!domain.isBlank()) {
      seeds.add(new NodeAddress(domain, config.port()));
    }
    return seeds;
  }

  /**
   * Returns the local address from which this host reaches the first seed that it can, without
   * sending any packet.
   */
  private static InetAddress localAddressTowards(List<NodeAddress> seeds) throws StartException {
    List<String> failures = new ArrayList<>();
    for (NodeAddress seed : seeds) {
      try (DatagramSocket socket = new DatagramSocket()) {
        socket.connect(InetAddress.getByName(seed.host()), seed.port());
        return socket.getLocalAddress();
      } catch (UnknownHostException e) {
        failures.add("cannot resolve '" + seed.host() + "'");
      } catch (IOException e) {
        failures.add("no route to the seed " + seed + ": " + e.getMessage());
      }
    }
    throw new StartException(
        "clusterConfig.host is empty, and the seeds do not show which address of this host to use: "
            + String.join("; ", failures)
            + "; set clusterConfig.host to an address at which other nodes can reach this one, or"
            + " correct clusterConfig.seedEndpoints and clusterDomainName");
  }

  /**
   * Binds the configured address if it belongs to this host; otherwise (behind NAT) all addresses.
   */
  private static InetSocketAddress bind(ClusterConfig config) throws StartException {
    try {
      InetAddress address = InetAddress.getByName(config.host());
      boolean isOurs = NetworkInterface.getByInetAddress(address) != null;
      return isOurs
          ? new InetSocketAddress(address, config.port())
          : new InetSocketAddress(config.port());
    } catch (IOException e) {
      throw new StartException(
          "clusterConfig.host: cannot resolve '"
              + config.host()
              + "': "
              + e.getMessage()
              + "; correct the name or set an IP address",
          e);
    }
  }

  public InetSocketAddress bindRaft() {
    return new InetSocketAddress(bind.getAddress(), bind.getPort() + 1);
  }

  /** Whether other hosts can reach the cluster port. */
  boolean isOpenToOthers() {
    return !bind.getAddress().isLoopbackAddress();
  }
}
