package io.fjordmq.cluster;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Seeds with host names, which may stand for any number of addresses and may change, such as the
 * name of a headless Kubernetes service. A name with a single address is kept as a name.
 */
public final class SeedLookup implements SeedSource {

  /** Returns all addresses of a host name or IP address. May block. */
  @FunctionalInterface
  public interface Resolver {
    InetAddress[] resolve(String host) throws UnknownHostException;
  }

  private final List<NodeAddress> endpoints;
  private final Resolver resolver;
  private final Executor background;
  private final AtomicBoolean lookingUp = new AtomicBoolean();
  private volatile List<NodeAddress> latest;

  /** Uses the resolver of the JVM, and a short-lived thread for each lookup in the background. */
  public SeedLookup(List<NodeAddress> endpoints) {
    this(endpoints, InetAddress::getAllByName, SeedLookup::runOnNewThread);
  }

  /**
   * @param background runs the lookups that {@link #latest} starts
   */
  SeedLookup(List<NodeAddress> endpoints, Resolver resolver, Executor background) {
    this.endpoints = List.copyOf(endpoints);
    this.resolver = resolver;
    this.background = background;
    this.latest = this.endpoints;
  }

  private static void runOnNewThread(Runnable lookUp) {
    Thread thread = new Thread(lookUp, "seed-lookup");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public List<NodeAddress> lookUp() {
    Set<NodeAddress> found = new LinkedHashSet<>();
    for (NodeAddress endpoint : endpoints) {
      found.addAll(addresses(endpoint));
    }
    latest = List.copyOf(found);
    return latest;
  }

  private List<NodeAddress> addresses(NodeAddress endpoint) {
    try {
      InetAddress[] all = resolver.resolve(endpoint.host());
      return all.length == 1
          ? List.of(endpoint)
          : List.of(all).stream()
              .map(address -> new NodeAddress(address.getHostAddress(), endpoint.port()))
              .toList();
    } catch (UnknownHostException e) {
      return List.of(endpoint); // connecting to it fails with a reason for the operator
    }
  }

  @Override
  public List<NodeAddress> latest() {
    if (endpoints.stream().anyMatch(endpoint -> !endpoint.isLiteral())
        && lookingUp.compareAndSet(false, true)) {
      background.execute(
          () -> {
            try {
              lookUp();
            } finally {
              lookingUp.set(false);
            }
          });
    }
    return latest;
  }
}
