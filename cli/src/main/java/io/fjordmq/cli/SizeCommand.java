package io.fjordmq.cli;

import io.fjordmq.cli.api.Json;
import io.fjordmq.cli.output.Column;
import io.fjordmq.cli.output.Table;
import io.fjordmq.cli.sizing.ClusterSize;
import io.fjordmq.cli.sizing.LoginCost;
import io.fjordmq.cli.sizing.NodeSize;
import io.fjordmq.cli.sizing.Sizing;
import io.fjordmq.cli.sizing.Workload;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Computes how many nodes a workload needs. */
@Command(
    name = "size",
    description = {
      "Compute how many nodes a workload needs, and how large they must be",
      "Uses the unit costs of docs/SIZING.md, which were measured on two cores; it connects to no"
          + " node. Rates are those of the whole cluster. With three nodes or more, one may be down."
          + " The exit code is 1 if the workload does not fit."
    })
final class SizeCommand implements Callable<Integer> {
  private static final List<Column> LIMITS =
      List.of(
          Column.text("LIMIT", "limit"),
          Column.text("USED", "used"),
          Column.text("IF IT IS REACHED", "remedy"));
  private static final double GIGA = 1e9;
  private static final double BITS_PER_BYTE = 8;
  private static final double PERCENT = 100;

  private final CommandContext context;

  @Option(names = "--clients", paramLabel = "N", required = true, description = "connected clients")
  private long clients;

  @Option(
      names = "--offline",
      paramLabel = "N",
      defaultValue = "0",
      description = "persistent sessions of clients that are not connected (default: 0)")
  private long offline;

  @Option(
      names = "--persistent",
      paramLabel = "PERCENT",
      defaultValue = "0",
      description = "clients with persistent sessions, in percent (default: 0)")
  private double persistentPercent;

  @Option(
      names = "--tls",
      paramLabel = "PERCENT",
      defaultValue = "0",
      description = "clients that use TLS, in percent (default: 0)")
  private double tlsPercent;

  @Option(
      names = "--connects",
      paramLabel = "RATE",
      description = "connections per second (default: all clients within 1,000 seconds)")
  private @Nullable Double connects;

  @Option(
      names = "--provider",
      paramLabel = "TYPE",
      defaultValue = "NONE",
      description =
          "where passwords or tokens are checked, without a cache: ${COMPLETION-CANDIDATES}"
              + " (default: none)")
  private LoginCost provider = LoginCost.NONE;

  @Option(
      names = "--keep-alive",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description = "interval of PINGREQ packets; 0: none (default: 60)")
  private int keepAlive;

  @Option(
      names = "--subscriptions",
      paramLabel = "N",
      defaultValue = "1",
      description = "subscriptions per client (default: 1)")
  private double subscriptions;

  @Option(
      names = "--publishes",
      paramLabel = "RATE",
      defaultValue = "0",
      description = "messages from clients per second (default: 0)")
  private double publishes;

  @Option(
      names = "--deliveries",
      paramLabel = "RATE",
      description = "messages to clients per second (default: as many as --publishes)")
  private @Nullable Double deliveries;

  @Option(
      names = "--qos",
      paramLabel = "QOS",
      defaultValue = "1",
      description = "QoS of the messages: 0, 1 or 2 (default: 1)")
  private int qos;

  @Option(
      names = "--payload",
      paramLabel = "BYTES",
      defaultValue = "256",
      description = "size of a payload (default: 256)")
  private int payload;

  @Option(
      names = "--queued",
      paramLabel = "N",
      defaultValue = "0",
      description = "messages that wait for offline sessions (default: 0)")
  private long queued;

  @Option(
      names = "--retained",
      paramLabel = "N",
      defaultValue = "0",
      description = "retained messages (default: 0)")
  private long retained;

  @Option(
      names = "--voters",
      paramLabel = "N",
      defaultValue = "3",
      description = "replicas that store an acknowledged message: 1, 3 or 5 (default: 3)")
  private int voters;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      description = "compute a cluster of this size (default: find the smallest)")
  private @Nullable Integer nodes;

  @Option(
      names = "--cores",
      paramLabel = "N",
      defaultValue = "8",
      description = "cores of a node (default: 8)")
  private double cores;

  @Option(
      names = "--memory",
      paramLabel = "GB",
      defaultValue = "32",
      description = "memory of a node in GB (default: 32)")
  private double memory;

  @Option(
      names = "--disk",
      paramLabel = "GB",
      defaultValue = "200",
      description = "disk space of a node in GB (default: 200)")
  private double disk;

  @Option(
      names = "--network",
      paramLabel = "GBIT",
      defaultValue = "10",
      description = "network of a node in Gbit/s (default: 10)")
  private double network;

  @Option(
      names = "--utilization",
      paramLabel = "PERCENT",
      defaultValue = "60",
      description = "percentage of the cores to use on average (default: 60)")
  private double utilizationPercent;

  @Option(names = "--json", description = "print the result as JSON")
  private boolean isJson;

  SizeCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    Sizing sizing = sizing();
    ClusterSize size = size(sizing);
    double growth = sizing.growth(size.nodes());
    if (isJson) {
      context.terminal().out().println(json(size, growth));
    } else {
      print(size, growth);
    }
    return size.fits() ? ExitCode.DONE : ExitCode.FAILED;
  }

  private Sizing sizing() {
    try {
      return new Sizing(
          workload(),
          new NodeSize(cores, memory * GIGA, disk * GIGA, network * GIGA / BITS_PER_BYTE),
          utilizationPercent / PERCENT);
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  private Workload workload() {
    return new Workload(
        clients,
        offline,
        persistentPercent / PERCENT,
        tlsPercent / PERCENT,
        connects == null ? clients / 1_000.0 : connects,
        provider,
        keepAlive,
        subscriptions,
        publishes,
        deliveries == null ? publishes : deliveries,
        qos,
        payload,
        queued,
        retained,
        voters);
  }

  /** Returns the smallest cluster, or the largest one that is considered if none fits. */
  private ClusterSize size(Sizing sizing) {
    if (nodes == null) {
      return sizing.smallest().orElseGet(() -> sizing.of(Sizing.MAX_NODES));
    }
    if (nodes < voters || nodes == 2 || nodes > Sizing.MAX_NODES) {
      throw new UsageException(
          "--nodes must be 1 or from 3 to %d, and at least --voters (%d), not %d"
              .formatted(Sizing.MAX_NODES, voters, nodes));
    }
    return sizing.of(nodes);
  }

  private void print(ClusterSize size, double growth) {
    NodeSize need = size.need();
    context
        .terminal()
        .line(
            "nodes:    " + size.nodes() + (size.spare() == 0 ? "" : ", one of which may be down"));
    context.terminal().line("each:     " + amount(need.cores(), cores, "cores"));
    context
        .terminal()
        .line("          " + amount(need.memoryBytes() / GIGA, memory, "GB of memory"));
    context.terminal().line("          " + amount(need.diskBytes() / GIGA, disk, "GB of disk"));
    context
        .terminal()
        .line(
            "          "
                + amount(need.networkBytes() * BITS_PER_BYTE / GIGA, network, "Gbit/s of network"));
    context.terminal().line(verdict(size, growth));
    context.terminal().out().println();
    new Table(LIMITS, context.terminal().width(), context.terminal().out()).print(limits(size));
  }

  private static String verdict(ClusterSize size, double growth) {
    String first = size.limits().get(0).name();
    if (growth >= Sizing.MAX_GROWTH) {
      return format("carries:  at least %,.0f times this workload", growth);
    }
    return size.fits()
        ? format("carries:  %.1f times this workload; the first limit is: %s", growth, first)
        : format("does not fit: %.1f times this workload would; the limit is: %s", growth, first);
  }

  private static String amount(double needed, double available, String unit) {
    return format("%.1f of %.0f %s", needed, available, unit);
  }

  private static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }

  private static List<JsonNode> limits(ClusterSize size) {
    return size.limits().stream().map(SizeCommand::json).toList();
  }

  private static JsonNode json(ClusterSize.Limit limit) {
    ObjectNode json = Json.object();
    json.put("limit", limit.name());
    json.put("used", format("%.0f %%", limit.used() * PERCENT));
    json.put("remedy", limit.remedy());
    return json;
  }

  private static JsonNode json(ClusterSize size, double growth) {
    ObjectNode json = Json.object();
    json.put("nodes", size.nodes());
    json.put("spare", size.spare());
    json.put("fits", size.fits());
    json.put("growth", growth);
    ObjectNode need = json.putObject("need");
    need.put("cores", size.need().cores());
    need.put("memoryBytes", Math.round(size.need().memoryBytes()));
    need.put("diskBytes", Math.round(size.need().diskBytes()));
    need.put("networkBytesPerSecond", Math.round(size.need().networkBytes()));
    ArrayNode limits = json.putArray("limits");
    for (ClusterSize.Limit limit : size.limits()) {
      limits.addObject().put("name", limit.name()).put("used", limit.used());
    }
    return json;
  }
}
