package io.fjordmq.cli;

import io.fjordmq.cli.api.Json;
import io.fjordmq.cli.doctor.Doctor;
import io.fjordmq.cli.doctor.Finding;
import io.fjordmq.cli.doctor.KernelFiles;
import io.fjordmq.cli.doctor.NodeConfiguration;
import io.fjordmq.cli.doctor.Status;
import io.fjordmq.cli.output.Column;
import io.fjordmq.cli.output.Table;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Checks whether this host is ready for a node. */
@Command(
    name = "doctor",
    description = {
      "Check whether this host is ready for a node, and suggest fixes",
      "Compares limits, kernel settings, memory, disk, clock, Java, ports and seeds with the"
          + " configuration; the node need not run. Changes nothing, but measures the disk with a"
          + " temporary file in the data directory. Run it as the user that runs the node. The exit"
          + " code is 1 if there is a problem, but 0 if there are only warnings and notes."
    })
final class DoctorCommand implements Callable<Integer> {
  private static final List<Column> COLUMNS =
      List.of(
          Column.text("STATUS", "status"),
          Column.text("CHECK", "check"),
          Column.text("FOUND", "found"),
          Column.text("EXPECTED", "expected"),
          Column.text("WHY", "why"),
          Column.text("FIX", "fix"));

  private final CommandContext context;

  @Option(
      names = "--connections",
      paramLabel = "N",
      description = "number of clients to prepare for (default: maxConnections of all listeners)")
  private @Nullable Long connections;

  @Option(names = "--no-disk-test", description = "do not measure the disk")
  private boolean skipsDiskTest;

  @Option(names = "--strict", description = "also exit with 1 if there is a warning")
  private boolean isStrict;

  @Option(names = "--json", description = "print the findings as a JSON array")
  private boolean isJson;

  DoctorCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    if (connections != null && connections < 1) {
      throw new UsageException("--connections must be at least 1, not " + connections);
    }
    BrokerProgram program = context.broker();
    BrokerProgram.Result result =
        program.run("--show-config", "-c", program.configuration().toString());
    context.terminal().err().print(result.err());
    if (!result.isSuccess()) {
      return ExitCode.FAILED; // the broker has printed what is wrong
    }
    NodeConfiguration configuration = configuration(result.out());
    Path data = program.home().resolve(configuration.values().getOrDefault("dataDir", "data"));
    List<Finding> findings =
        new Doctor(
                new KernelFiles(Path.of("/")),
                configuration,
                new Doctor.Options(program.home(), data, expectedConnections(), !skipsDiskTest))
            .runChecks();
    print(findings);
    Status limit = isStrict ? Status.WARNING : Status.PROBLEM;
    return findings.stream().anyMatch(finding -> finding.status().compareTo(limit) >= 0)
        ? ExitCode.FAILED
        : ExitCode.DONE;
  }

  private OptionalLong expectedConnections() {
    return connections == null ? OptionalLong.empty() : OptionalLong.of(connections);
  }

  private static NodeConfiguration configuration(String json) {
    Map<String, String> values = new LinkedHashMap<>();
    for (JsonNode entry : Json.parse(json)) {
      values.put(entry.path("key").asString(""), entry.path("value").asString(""));
    }
    return new NodeConfiguration(values);
  }

  private void print(List<Finding> findings) {
    List<JsonNode> elements = findings.stream().map(DoctorCommand::json).toList();
    if (isJson) {
      context.terminal().out().println(elements);
    } else if (context.terminal().isOutput()) {
      findings.forEach(this::print);
      summarize(findings);
    } else {
      new Table(COLUMNS, 0, context.terminal().out()).print(elements);
    }
  }

  private static JsonNode json(Finding finding) {
    ObjectNode json = Json.object();
    json.put("check", finding.check());
    json.put("status", finding.status().toString());
    json.put("found", finding.found());
    json.put("expected", finding.expected());
    json.put("why", finding.why());
    json.put("fix", finding.fix());
    return json;
  }

  /** Prints one line if all is well, otherwise also the reason and the fix. */
  private void print(Finding finding) {
    String status = String.format(Locale.ROOT, "%-8s", finding.status());
    String found = finding.found().isEmpty() ? finding.why() : finding.found();
    context.terminal().line("%s %s: %s".formatted(status, finding.check(), found));
    if (finding.status().compareTo(Status.NOTE) < 0) {
      return;
    }
    String indent = " ".repeat(status.length() + 1);
    context.terminal().line(indent + "expected: " + finding.expected());
    context.terminal().line(indent + "why:      " + finding.why());
    context.terminal().line(indent + "fix:      " + finding.fix());
  }

  private void summarize(List<Finding> findings) {
    context
        .terminal()
        .message(
            "%d checks: %d problems, %d warnings, %d notes"
                .formatted(
                    findings.size(),
                    count(findings, Status.PROBLEM),
                    count(findings, Status.WARNING),
                    count(findings, Status.NOTE)));
    if (findings.stream().anyMatch(finding -> finding.fix().startsWith("sysctl "))) {
      context
          .terminal()
          .message(
              "Values set by sysctl last until the host restarts; docs/TUNING.md explains how to"
                  + " make them permanent");
    }
  }

  private static long count(List<Finding> findings, Status status) {
    return findings.stream().filter(finding -> finding.status() == status).count();
  }
}
