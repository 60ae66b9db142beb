package io.fjordmq.cli.doctor;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** The address of this node, and the seeds through which it finds its cluster. */
final class PeersCheck implements Check {
  private static final int CONNECT_MILLIS = 1_000;
  private static final int MAX_SEEDS = 32;
  private static final String HOST = "clusterConfig.host";

  private final NodeConfiguration configuration;

  PeersCheck(NodeConfiguration configuration) {
    this.configuration = configuration;
  }

  @Override
  public Stream<Finding> findings() {
    List<CompletableFuture<Finding>> seeds =
        seeds().stream()
            .limit(MAX_SEEDS)
            .map(seed -> CompletableFuture.supplyAsync(() -> seed(seed), this::startThread))
            .toList();
    return Stream.concat(ownAddress(), seeds.stream().map(CompletableFuture::join));
  }

  /** A thread for each seed, because name resolution may block for seconds. */
  private void startThread(Runnable task) {
    Thread thread = new Thread(task, "doctor-seed");
    thread.setDaemon(true);
    thread.start();
  }

  private List<String> seeds() {
    List<String> seeds = new ArrayList<>();
    Arrays.stream(configuration.text("clusterConfig.seedEndpoints").split(","))
        .map(String::strip)
        .filter(seed -> !seed.isEmpty())
        .forEach(seeds::add);
    String domain = configuration.text("clusterConfig.clusterDomainName");
    if (!domain.isEmpty()) {
      seeds.add(domain + ":" + configuration.number("clusterConfig.port"));
    }
    return seeds;
  }

  /** A node must not announce an address of the loopback interface to other nodes. */
  private Stream<Finding> ownAddress() {
    String host = configuration.text(HOST);
    if (host.isEmpty()) {
      return Stream.empty(); // the node takes the address from which it reaches its seeds
    }
    try {
      InetAddress address = InetAddress.getByName(host);
      String found =
          host.equals(address.getHostAddress()) ? host : host + " = " + address.getHostAddress();
      boolean isWrong = address.isLoopbackAddress() && !seeds().stream().allMatch(this::isLocal);
      return Stream.of(
          isWrong
              ? Finding.of(
                  HOST,
                  Status.PROBLEM,
                  found,
                  "an address that other nodes can reach",
                  "the node announces this address to the other nodes, which would then connect"
                      + " to themselves",
                  "set " + HOST + " to another address of this host; see also /etc/hosts")
              : Finding.ok(HOST, found, ""));
    } catch (UnknownHostException e) {
      return Stream.of(
          Finding.of(
              HOST,
              Status.PROBLEM,
              host + " cannot be resolved",
              "an address that other nodes can reach",
              "the node does not start",
              "correct the name in DNS or /etc/hosts, or set an IP address"));
    }
  }

  private boolean isLocal(String seed) {
    try {
      return address(seed).getAddress().isLoopbackAddress();
    } catch (IOException e) {
      return false;
    }
  }

  private Finding seed(String seed) {
    String check = "seed " + seed;
    try (Socket socket = new Socket()) {
      socket.connect(address(seed), CONNECT_MILLIS);
      return Finding.ok(check, "reachable", "reachable");
    } catch (UnknownHostException e) {
      return Finding.of(
          check,
          Status.WARNING,
          "cannot be resolved",
          "reachable",
          "the node cannot join its cluster through this seed",
          "correct the name in DNS, /etc/hosts or clusterConfig.seedEndpoints");
    } catch (IOException e) {
      return Finding.of(
          check,
          Status.WARNING,
          "cannot connect: " + e.getMessage(),
          "reachable",
          "the node cannot join its cluster through this seed; ignore this if the seed has not been"
              + " started yet",
          "start the seed, and open its cluster port and the next port in firewalls");
    }
  }

  private static InetSocketAddress address(String seed) throws UnknownHostException {
    int colon = seed.lastIndexOf(':');
    String host = seed.substring(0, colon).replaceAll("^\\[|]$", "");
    return new InetSocketAddress(
        InetAddress.getByName(host), Integer.parseInt(seed.substring(colon + 1)));
  }
}
