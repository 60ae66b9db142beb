package io.fjordmq.perf.tool;

import io.fjordmq.perf.BrokerProcess;
import io.fjordmq.perf.FreePorts;
import io.fjordmq.perf.ProcessUsage;
import io.fjordmq.perf.TlsSetup;
import io.fjordmq.perf.load.Users;
import io.fjordmq.perf.machine.BrokerWatch;
import io.fjordmq.perf.machine.Certificates;
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
 * Starts the brokers a scenario asks for, or finds those that were given. What it has started ends
 * with {@link Target#close}, or with {@link #endForGood} if the tool is interrupted, by process id.
 */
final class Brokers implements AutoCloseable {
  /** {@code sessionConfig.readBytesPerSecond} and {@code writeBytesPerSecond}, by default. */
  private static final int USUAL_BYTES_PER_SECOND = 512 * 1024;

  private final Path checkout;
  private final Scenario scenario;
  private final List<BrokerProcess> running = Collections.synchronizedList(new ArrayList<>());

  /** Of brokers that are being started. */
  private volatile @Nullable Path starting;

  /** Of the brokers that run, or are being started. */
  private volatile @Nullable LimitedNodes limited;

  private volatile boolean over;

  /**
   * @param checkout whose broker is FjordMQ
   */
  Brokers(Path checkout, Scenario scenario) {
    this.checkout = checkout;
    this.scenario = scenario;
  }

  /**
   * @param name {@code fjordmq} or {@code mosquitto}
   * @param directory for data and logs
   */
  Target start(String name, Path directory) throws Exception {
    if (over) {
      throw new UsageException("interrupted: " + name + " is not started any more");
    }
    Certificates certificates = encrypted() ? new Certificates(directory.resolve("tls")) : null;
    LimitedNodes limits = new LimitedNodes(scenario.cluster().limits());
    limited = limits;
    starting = directory;
    try {
      Target target =
          name.equals(RunOptions.MOSQUITTO)
              ? mosquitto(directory, certificates, limits)
              : fjordmq(directory, certificates, limits);
      limits.started();
      starting = null;
      return target;
    } catch (IOException | InterruptedException | RuntimeException e) {
      List<String> ended = limits.ended();
      close();
      if (!ended.isEmpty()) {
        throw new IOException("at its start " + String.join("; ", ended), e);
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

  private @Nullable SslContext clients(@Nullable Certificates certificates) throws IOException {
    return certificates == null ? null : certificates.clients(mutual());
  }

  private Target mosquitto(Path directory, @Nullable Certificates certificates, LimitedNodes limits)
      throws Exception {
    String more = "";
    InetSocketAddress tlsAddress = null;
    if (certificates != null) {
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
                  certificates.certificateFile(),
                  certificates.keyFile(),
                  certificates.trustFile(),
                  mutual());
    }
    if (scenario.connections().users()) {
      UserFiles files = new UserFiles(directory);
      more += "password_file %s\nacl_file %s\n".formatted(files.passwords, files.rights);
    }
    BrokerProcess process =
        BrokerProcess.mosquitto(directory, more, limits.manner(RunOptions.MOSQUITTO));
    running.add(process);
    return new Target(
        RunOptions.MOSQUITTO,
        List.of(tlsAddress == null ? process.address() : tlsAddress),
        clients(certificates),
        new BrokerWatch(List.of(process.pid()), List.of()),
        limits,
        false,
        this::close);
  }

  private Target fjordmq(Path directory, @Nullable Certificates certificates, LimitedNodes limits)
      throws Exception {
    if (!scenario.cluster().limits().isNone()) {
      BrokerProcess.build(checkout, directory); // a compiler is not what is to be limited
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
          new NodeFile(i == 0, clusterPorts.get(i), seeds(clusterPorts), certificates, users);
      BrokerProcess process =
          BrokerProcess.started(
              name,
              checkout,
              directory.resolve(name),
              file.port,
              file.text(),
              !scenario.cluster().cold() && i == nodes - 1,
              limits.manner(name));
      processes.add(process);
      running.add(process);
      addresses.add(certificates == null ? process.address() : TlsSetup.loopback(file.tlsPort));
      metrics.add(URI.create("http://127.0.0.1:" + file.httpPort + "/metrics"));
    }
    return new Target(
        RunOptions.FJORDMQ,
        addresses,
        clients(certificates),
        new BrokerWatch(processes.stream().map(BrokerProcess::pid).toList(), metrics),
        limits,
        false,
        this::close);
  }

  private static String seeds(List<Integer> ports) {
    return ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
  }

  /** A broker of any make that runs already. */
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
                + "; it takes the process ids of the given broker's nodes on this machine, or"
                + " nothing");
      }
    }
    SslContext tls = null;
    Path certificate = options.clientCertificate();
    Path key = options.clientKey();
    if (mutual()) {
      if (certificate == null || key == null) {
        throw new UsageException(
            "its clients need a certificate that the given broker trusts: --client-cert FILE"
                + " --client-key FILE");
      }
      tls = Certificates.clients(certificate, key);
    } else if (encrypted()) {
      tls = Certificates.strangers();
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

  /** After {@link #endForGood}. */
  boolean isOver() {
    return over;
  }

  /** The same as {@link #close}, and nothing is started any more. Any thread. */
  void endForGood() {
    over = true;
    close();
  }

  /** Ends all that it has started and that has not ended. Any thread. */
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
        throw new UncheckedIOException("a broker may still run: look below " + unfinished, e);
      }
    }
    LimitedNodes limits = limited;
    if (limits != null) {
      try {
        limits.close();
      } catch (IOException e) {
        throw new UncheckedIOException("not everything could be removed: " + e.getMessage(), e);
      }
    }
  }

  /** Whether the limits that a client of FjordMQ has if nobody says otherwise may be in its way. */
  static boolean needsMoreThanUsualRates(Scenario scenario) {
    return scenario.busiestClientBytesPerSecond() > USUAL_BYTES_PER_SECOND / 2.0;
  }

  /** Who may connect and do what. */
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
    private final @Nullable Certificates certificates;
    private final @Nullable UserFiles users;

    NodeFile(
        boolean first,
        int clusterPort,
        String seeds,
        @Nullable Certificates certificates,
        @Nullable UserFiles users)
        throws IOException {
      this.first = first;
      this.clusterPort = clusterPort;
      this.seeds = seeds;
      this.certificates = certificates;
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
      %s%s%s"""
          .formatted(
              first, port, tls(), httpPort, clusterPort, seeds, stores(), rates(), security());
    }

    private String tls() {
      Certificates made = certificates;
      return made == null
          ? ""
          : """
        tlsListener:
          host: 127.0.0.1
          port: %d
          certFile: %s
          keyFile: %s
      %s"""
              .formatted(
                  tlsPort, made.certificateFile(), made.keyFile(), mutual() ? trust(made) : "");
    }

    /** It would have no effect on clients that show no certificate, and a node says so. */
    private static String trust(Certificates made) {
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

    /** Without a name this tool asks whether the node serves. */
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
