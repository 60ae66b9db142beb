package io.fjordmq.perf.tool;

import io.fjordmq.perf.BrokerProcess;
import io.fjordmq.perf.FreePorts;
import io.fjordmq.perf.ProcessUsage;
import io.fjordmq.perf.TlsSetup;
import io.fjordmq.perf.load.Users;
import io.fjordmq.perf.machine.BrokerWatch;
import io.fjordmq.perf.machine.GeneratedCertificates;
import io.fjordmq.perf.scenario.Connections.Transport;
import io.fjordmq.perf.scenario.NodeLimits;
import io.fjordmq.perf.scenario.Scenario;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Starts the brokers of a scenario, or uses running ones. {@link Target#close} ends the processes
 * it has started, by process id; {@link #endForGood} does so if the tool is interrupted.
 */
final class Brokers implements AutoCloseable {
  /** Defaults of {@code sessionConfig.readBytesPerSecond} and {@code writeBytesPerSecond}. */
  private static final int USUAL_BYTES_PER_SECOND = 512 * 1024;

  private final Path checkout;
  private final Scenario scenario;
  private final List<BrokerProcess> running = Collections.synchronizedList(new ArrayList<>());

  /** Directory of the brokers that are being started. */
  private volatile @Nullable Path starting;

  /** The brokers that are running or being started. */
  private volatile @Nullable LimitedNodes limited;

  private volatile boolean over;

  /**
   * @param checkout checkout of FjordMQ to start brokers from
   */
  Brokers(Path checkout, Scenario scenario) {
    this.checkout = checkout;
    this.scenario = scenario;
  }

  /**
   * Starts brokers.
   *
   * @param name {@code fjordmq} or {@code mosquitto}
   * @param directory for data and logs
   */
  Target start(String name, Path directory) throws Exception {
    if (over) {
      throw new UsageException("interrupted: not starting " + name);
    }
    GeneratedCertificates generatedCertificates =
        encrypted() ? new GeneratedCertificates(directory.resolve("tls")) : null;
    LimitedNodes limits = new LimitedNodes(scenario.cluster().limits());
    limited = limits;
    starting = directory;
    try {
      Target target =
          name.equals(RunOptions.MOSQUITTO)
              ? mosquitto(directory, generatedCertificates, limits)
              : fjordmq(directory, generatedCertificates, limits);
      limits.started();
      starting = null;
      return target;
    } catch (IOException | InterruptedException | RuntimeException e) {
      List<String> ended = limits.ended();
      close();
      if (!ended.isEmpty()) {
        throw new IOException("during startup " + String.join("; ", ended), e);
      }
      throw e;
    }
  }

  private boolean encrypted() {
    return scenario.connections().transport() != Transport.TCP;
  }

  private boolean mutual() {
    return scenario.connections().transport() == Transport.MTLS;
  }

  private @Nullable SslContext clients(@Nullable GeneratedCertificates generatedCertificates)
      throws IOException {
    return generatedCertificates == null ? null : generatedCertificates.clients(mutual());
  }

  private Target mosquitto(
      Path directory, @Nullable GeneratedCertificates generatedCertificates, LimitedNodes limits)
      throws Exception {
    String more = "";
    InetSocketAddress tlsAddress = null;
    if (generatedCertificates != null) {
      int port = FreePorts.one();
      tlsAddress = TlsSetup.loopback(port);
      more =
          """
          listener %d 127.0.0.1
          certfile %s
          keyfile %s
          cafile %s
          require_certificate %s
          """
              .formatted(
                  port,
                  generatedCertificates.certificateFile(),
                  generatedCertificates.keyFile(),
                  generatedCertificates.trustFile(),
                  mutual());
    }
    if (scenario.connections().users()) {
      UserFiles files = new UserFiles(directory);
      more += "password_file %s\nacl_file %s\n".formatted(files.passwords, files.rights);
    }
    BrokerProcess process =
        BrokerProcess.mosquitto(directory, more, limits.limitedCommand(RunOptions.MOSQUITTO));
    running.add(process);
    return new Target(
        RunOptions.MOSQUITTO,
        List.of(tlsAddress == null ? process.address() : tlsAddress),
        clients(generatedCertificates),
        new BrokerWatch(List.of(process.pid()), List.of()),
        limits,
        false,
        this::close);
  }

  private Target fjordmq(
      Path directory, @Nullable GeneratedCertificates generatedCertificates, LimitedNodes limits)
      throws Exception {
    if (!scenario.cluster().limits().isNone()) {
      BrokerProcess.build(checkout, directory); // compile before limits apply
    }
    int nodes = scenario.cluster().nodes();
    List<Integer> clusterPorts =
        IntStream.range(0, nodes).mapToObj(node -> FreePorts.forCluster()).toList();
    UserFiles users = scenario.connections().users() ? new UserFiles(directory) : null;
    List<BrokerProcess> processes = new ArrayList<>();
    List<InetSocketAddress> addresses = new ArrayList<>();
    List<URI> metrics = new ArrayList<>();
    for (int i = 0; i < nodes; i++) {
      String name = "node" + (i + 1);
      NodeFile file =
          new NodeFile(
              i == 0, clusterPorts.get(i), seeds(clusterPorts), generatedCertificates, users);
      BrokerProcess process =
          BrokerProcess.started(
              name,
              checkout,
              directory.resolve(name),
              file.port,
              file.text(),
              !scenario.cluster().cold() && i == nodes - 1,
              limits.limitedCommand(name));
      processes.add(process);
      running.add(process);
      addresses.add(
          generatedCertificates == null ? process.address() : TlsSetup.loopback(file.tlsPort));
      metrics.add(URI.create("http://127.0.0.1:" + file.httpPort + "/metrics"));
    }
    return new Target(
        RunOptions.FJORDMQ,
        addresses,
        clients(generatedCertificates),
        new BrokerWatch(processes.stream().map(BrokerProcess::pid).toList(), metrics),
        limits,
        false,
        this::close);
  }

  private static String seeds(List<Integer> ports) {
    return ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
  }

  /** A running broker of any kind. */
  Target given(RunOptions options) throws IOException {
    for (long pid : options.pids()) {
      try {
        ProcessUsage.of(pid);
      } catch (UncheckedIOException e) {
        throw new UsageException(
            "--pids "
                + pid
                + ": "
                + e.getMessage()
                + "; must be the process ids of the given broker's nodes on this host, or"
                + " nothing");
      }
    }
    SslContext tls = null;
    Path certificate = options.clientCertificate();
    Path key = options.clientKey();
    if (mutual()) {
      if (certificate == null || key == null) {
        throw new UsageException(
            "clients need a certificate that the given broker trusts; set --client-cert FILE"
                + " and --client-key FILE");
      }
      tls = GeneratedCertificates.clients(certificate, key);
    } else if (encrypted()) {
      tls = GeneratedCertificates.withoutCertificate();
    }
    String name =
        options.hosts().stream()
            .map(host -> host.getHostString() + ":" + host.getPort())
            .collect(Collectors.joining(","));
    return new Target(
        name,
        options.hosts(),
        tls,
        new BrokerWatch(options.pids(), List.of()),
        new LimitedNodes(NodeLimits.NONE),
        true,
        () -> {});
  }

  /** True after {@link #endForGood}. */
  boolean isOver() {
    return over;
  }

  /** Same as {@link #close}, and prevents further starts. Any thread. */
  void shutdown() {
    over = true;
    close();
  }

  /** Ends all processes it has started. Any thread. */
  @Override
  public void close() {
    List<BrokerProcess> ending;
    synchronized (running) {
      ending = new ArrayList<>(running);
      running.clear();
    }
    Collections.reverse(ending);
    ending.forEach(BrokerProcess::close);
    Path unfinished = starting;
    if (unfinished != null) {
      starting = null;
      try {
        BrokerProcess.abandon(unfinished);
      } catch (IOException e) {
        throw new UncheckedIOException(
            "a broker may still be running; its files are below " + unfinished, e);
      }
    }
    LimitedNodes limits = limited;
    if (limits != null) {
      try {
        limits.close();
      } catch (IOException e) {
        throw new UncheckedIOException("failed to clean up: " + e.getMessage(), e);
      }
    }
  }

  /** Whether clients may reach the default rate limits of FjordMQ. */
  static boolean needsMoreThanUsualRates(Scenario scenario) {
    return scenario.busiestClientBytesPerSecond() > USUAL_BYTES_PER_SECOND / 2.0;
  }

  /** Password file and ACL file of the scenario's users. */
  private final class UserFiles {
    final Path passwords;
    final Path rights;

    UserFiles(Path directory) throws IOException {
      Files.createDirectories(directory);
      passwords = directory.resolve("passwords");
      rights = directory.resolve("rights");
      new Users(scenario).write(passwords, rights);
    }
  }

  /** The configuration of one node. */
  private final class NodeFile {
    final int port = FreePorts.one();
    final int httpPort = FreePorts.one();
    final int tlsPort = FreePorts.one();
    private final boolean first;
    private final int clusterPort;
    private final String seeds;
    private final @Nullable GeneratedCertificates generatedCertificates;
    private final @Nullable UserFiles users;

    NodeFile(
        boolean first,
        int clusterPort,
        String seeds,
        @Nullable GeneratedCertificates generatedCertificates,
        @Nullable UserFiles users)
        throws IOException {
      this.first = first;
      this.clusterPort = clusterPort;
      this.seeds = seeds;
      this.generatedCertificates = generatedCertificates;
      this.users = users;
    }

    String text() {
      return """
      bootstrap: %s
      mqttServerConfig:
        tcpListener:
          host: 127.0.0.1
          port: %d
      %shttpConfig:
        host: 127.0.0.1
        port: %d
      clusterConfig:
        env: Perf
        host: 127.0.0.1
        port: %d
        seedEndpoints: %s
      %s%s%s\
      """
          .formatted(
              first, port, tls(), httpPort, clusterPort, seeds, stores(), rates(), security());
    }

    private String tls() {
      GeneratedCertificates made = generatedCertificates;
      return made == null
          ? ""
          : """
            tlsListener:
              host: 127.0.0.1
              port: %d
              certFile: %s
              keyFile: %s
          %s\
          """
              .formatted(
                  tlsPort, made.certificateFile(), made.keyFile(), mutual() ? trust(made) : "");
    }

    /** Only for mutual TLS: without client certificates, a node rejects trustFile. */
    private static String trust(GeneratedCertificates made) {
      return """
          trustFile: %s
          clientAuth: required
      """
          .formatted(made.trustFile());
    }

    private String rates() {
      return needsMoreThanUsualRates(scenario)
          ? "sessionConfig:\n  readBytesPerSecond: 0\n  writeBytesPerSecond: 0\n"
          : "";
    }

    /** Without users, because the tool itself connects to check whether the node serves. */
    private String security() {
      UserFiles made = users;
      return made == null
          ? ""
          : """
          securityConfig:
            allowAnonymous: loopback
            passwordFile: %s
            aclFile: %s
          """
              .formatted(made.passwords, made.rights);
    }

    private String stores() {
      int voters = scenario.cluster().voters();
      return voters == 0
          ? ""
          : """
          storeConfig:
            dist:
              replicaVoterCount: %d
            inbox:
              replicaVoterCount: %d
            retain:
              replicaVoterCount: %d
          """
              .formatted(voters, voters, voters);
    }
  }
}
