package io.fjordmq.perf.broker;

import io.fjordmq.perf.load.Users;
import io.fjordmq.perf.machine.BrokerWatch;
import io.fjordmq.perf.machine.GeneratedCertificates;
import io.fjordmq.perf.machine.ProcessUsage;
import io.fjordmq.perf.scenario.Connections.Transport;
import io.fjordmq.perf.scenario.NodeLimits;
import io.fjordmq.perf.scenario.Scenario;
import io.fjordmq.perf.scenario.UsageException;
import io.fjordmq.perf.users.UserService;
import io.fjordmq.perf.users.UserServices;
import io.fjordmq.testing.FreePorts;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Starts brokers, or uses brokers that are already running. {@link RunningBroker#close} stops the
 * processes of one broker, by process id; {@link #shutdown} stops those of all brokers if the tool
 * is interrupted.
 */
public final class BrokerLauncher implements AutoCloseable {
  /** Defaults of {@code sessionConfig.readBytesPerSecond} and {@code writeBytesPerSecond}. */
  private static final int DEFAULT_BYTES_PER_SECOND = 512 * 1024;

  private final Path checkout;
  private final List<ManagedBroker> managedBrokers =
      Collections.synchronizedList(new ArrayList<>());
  private volatile boolean stopped;

  /**
   * @param checkout the FjordMQ checkout that the tool belongs to
   */
  public BrokerLauncher(Path checkout) {
    this.checkout = checkout;
  }

  /**
   * Starts a broker and returns when it serves clients. Blocks.
   *
   * @param directory directory for data and logs
   */
  public RunningBroker start(BrokerSpec spec, Path directory) throws Exception {
    if (stopped) {
      throw new UsageException("interrupted: not starting " + spec.name());
    }
    ManagedBroker managed = new ManagedBroker(spec, directory);
    managedBrokers.add(managed);
    try {
      RunningBroker broker = spec.isMosquitto() ? managed.startMosquitto() : managed.startFjordmq();
      managed.limits.started();
      managed.isComplete = true;
      return broker;
    } catch (IOException | InterruptedException | RuntimeException e) {
      List<String> killed = managed.limits.killed();
      managed.close();
      if (!killed.isEmpty()) {
        throw new IOException("during startup " + String.join("; ", killed), e);
      }
      throw e;
    }
  }

  /**
   * Returns a broker of any kind that is already running.
   *
   * @param pids process ids of its nodes on this host; may be empty
   * @param certificate certificate of the clients; required with mutual TLS
   */
  public static RunningBroker existing(
      List<InetSocketAddress> hosts,
      List<Long> pids,
      Transport transport,
      @Nullable Path certificate,
      @Nullable Path key)
      throws IOException {
    for (long pid : pids) {
      try {
        ProcessUsage.of(pid);
      } catch (UncheckedIOException e) {
        throw new UsageException(
            "--pids %d: %s; must be the process ids of the external broker's nodes on this host"
                .formatted(pid, e.getMessage()));
      }
    }
    SslContext tls = null;
    if (transport == Transport.MTLS) {
      if (certificate == null || key == null) {
        throw new UsageException(
            "clients need a certificate that the external broker trusts; set --client-cert FILE"
                + " and --client-key FILE");
      }
      tls = GeneratedCertificates.clients(certificate, key);
    } else if (transport == Transport.TLS) {
      tls = GeneratedCertificates.withoutCertificate();
    }
    String name =
        hosts.stream()
            .map(host -> host.getHostString() + ":" + host.getPort())
            .collect(Collectors.joining(","));
    BrokerWatch watch = new BrokerWatch(pids, List.of());
    LimitedNodes unlimited = new LimitedNodes(NodeLimits.NONE);
    return new RunningBroker(name, hosts, tls, watch, List.of(), null, unlimited, true, () -> {});
  }

  /** Returns whether clients of the scenario might reach FjordMQ's default rate limits. */
  public static boolean needsRaisedRateLimits(Scenario scenario) {
    return scenario.busiestClientBytesPerSecond() > DEFAULT_BYTES_PER_SECOND / 2.0;
  }

  /** Returns true after {@link #shutdown}. */
  public boolean isShutdown() {
    return stopped;
  }

  /** Like {@link #close}, but also prevents further starts. May be called on any thread. */
  public void shutdown() {
    stopped = true;
    close();
  }

  /** Stops all processes that this launcher has started. May be called on any thread. */
  @Override
  public void close() {
    List<ManagedBroker> closing;
    synchronized (managedBrokers) {
      closing = new ArrayList<>(managedBrokers);
    }
    Collections.reverse(closing);
    closing.forEach(ManagedBroker::close);
  }

  /** A broker that is starting or running. */
  private final class ManagedBroker implements AutoCloseable {
    private final BrokerSpec spec;
    private final Scenario scenario;
    private final Path directory;
    private final LimitedNodes limits;
    private final List<BrokerProcess> processes = Collections.synchronizedList(new ArrayList<>());
    private final boolean mutual;
    private final @Nullable GeneratedCertificates certificates;
    private final @Nullable UserService users;
    private volatile boolean isComplete;

    ManagedBroker(BrokerSpec spec, Path directory) throws Exception {
      this.spec = spec;
      this.scenario = spec.scenario();
      this.directory = directory;
      this.limits = new LimitedNodes(scenario.cluster().limits());
      Transport transport = scenario.connections().transport();
      this.mutual = transport == Transport.MTLS;
      this.certificates =
          transport == Transport.TCP ? null : new GeneratedCertificates(directory.resolve("tls"));
      this.users =
          scenario.connections().users().exist()
              ? UserServices.open(
                  scenario.connections().users().store(), directory, new Users(scenario).accounts())
              : null;
    }

    RunningBroker startMosquitto() throws Exception {
      String settings = "";
      List<InetSocketAddress> addresses = new ArrayList<>();
      if (certificates != null) {
        int port = FreePorts.one();
        addresses.add(BrokerProcess.loopback(port));
        settings =
            """
            listener %d 127.0.0.1
            certfile %s
            keyfile %s
            cafile %s
            require_certificate %s
            """
                .formatted(
                    port,
                    certificates.certificateFile(),
                    certificates.keyFile(),
                    certificates.trustFile(),
                    mutual);
      }
      if (users != null) {
        settings += users.mosquittoConfiguration();
      }
      BrokerProcess process =
          BrokerProcess.startMosquitto(directory, settings, limits.limitedCommand(spec.name()));
      processes.add(process);
      if (addresses.isEmpty()) {
        addresses.add(process.address());
      }
      return running(addresses, List.of());
    }

    RunningBroker startFjordmq() throws Exception {
      boolean own = spec.program().equals(BrokerSpec.FJORDMQ);
      Path source = own ? checkout : Path.of(spec.program());
      if (!scenario.cluster().limits().isNone()) {
        BrokerProcess.build(source, directory); // compile before the limits apply
      }
      int nodes = scenario.cluster().nodes();
      List<Integer> ports =
          IntStream.range(0, nodes).mapToObj(node -> FreePorts.forCluster()).toList();
      String seeds =
          ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
      List<InetSocketAddress> addresses = new ArrayList<>();
      List<URI> metrics = new ArrayList<>();
      for (int i = 0; i < nodes; i++) {
        String name = "node" + (i + 1);
        int tlsPort = FreePorts.one();
        NodeConfig config =
            new NodeConfig(i == 0, ports.get(i), seeds)
                .with(sections(tlsPort))
                .with(spec.settings());
        boolean settle = !scenario.cluster().cold() && i == nodes - 1;
        BrokerProcess process =
            BrokerProcess.startFjordmq(
                name, source, directory.resolve(name), config, settle, limits.limitedCommand(name));
        processes.add(process);
        addresses.add(certificates == null ? process.address() : BrokerProcess.loopback(tlsPort));
        metrics.add(config.metrics());
      }
      if (users != null) {
        users.fill(source, directory.resolve("node1"));
      }
      return running(addresses, metrics);
    }

    private RunningBroker running(List<InetSocketAddress> addresses, List<URI> metrics)
        throws IOException {
      List<Long> pids = processes.stream().map(BrokerProcess::pid).toList();
      return new RunningBroker(
          spec.name(),
          addresses,
          certificates == null ? null : certificates.clients(mutual),
          users == null
              ? new BrokerWatch(pids, metrics)
              : new BrokerWatch(pids, metrics, users::usage),
          List.copyOf(processes),
          users,
          limits,
          false,
          this::close);
    }

    /** Returns the node configuration that the scenario requires, as YAML. */
    private String sections(int tlsPort) {
      StringBuilder out = new StringBuilder();
      if (certificates != null) {
        // Without client certificates, a node rejects trustFile.
        String trust =
            mutual ? ", trustFile: " + certificates.trustFile() + ", clientAuth: required" : "";
        out.append(
            ("mqttServerConfig: {tlsListener: {host: 127.0.0.1, port: %d, certFile: %s, "
                    + "keyFile: %s%s}}\n")
                .formatted(tlsPort, certificates.certificateFile(), certificates.keyFile(), trust));
      }
      if (needsRaisedRateLimits(scenario)) {
        out.append(BrokerSpec.UNLIMITED_RATES + "\n");
      }
      if (users != null) {
        out.append(users.configuration());
      }
      int voters = scenario.cluster().voters();
      if (voters > 0) {
        out.append("storeConfig:\n");
        for (String store : List.of("dist", "inbox", "retain")) {
          out.append("  %s: {replicaVoterCount: %d}\n".formatted(store, voters));
        }
      }
      return out.toString();
    }

    @Override
    public void close() {
      if (!managedBrokers.remove(this)) {
        return;
      }
      List<BrokerProcess> closing = new ArrayList<>(processes);
      Collections.reverse(closing);
      closing.forEach(BrokerProcess::close);
      if (users != null) {
        users.close();
      }
      if (!isComplete) {
        try {
          BrokerProcess.abandon(directory);
        } catch (IOException e) {
          throw new UncheckedIOException(
              "a broker may still be running; its files are below " + directory, e);
        }
      }
      try {
        limits.close();
      } catch (IOException e) {
        throw new UncheckedIOException("failed to clean up: " + e.getMessage(), e);
      }
    }
  }
}
