package io.fjordmq.cli;

import io.fjordmq.cli.api.Json;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ObjectNode;

/** The options that say what a trace contains. */
final class TraceOptions {
  private static final DateTimeFormatter NAME =
      DateTimeFormatter.ofPattern("uuuuMMdd-HHmmss").withZone(ZoneOffset.UTC);

  @Option(names = "--client", paramLabel = "CLIENT", description = "trace this client identifier")
  @Nullable String client;

  @Option(
      names = "--topic",
      paramLabel = "FILTER",
      description = "trace messages whose topics match this topic filter")
  @Nullable String topic;

  @Option(
      names = "--ip",
      paramLabel = "ADDRESS",
      description = "trace clients from this IP address or network")
  @Nullable String address;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "name of the trace (default: its type and the time)")
  @Nullable String name;

  @Option(
      names = "--for",
      paramLabel = "DURATION",
      defaultValue = "10m",
      description = "duration, such as 90s, 15m or 2h (default: ${DEFAULT-VALUE})")
  String duration = "";

  @Option(
      names = "--payload",
      paramLabel = "HOW",
      defaultValue = "none",
      description = "how to show payloads: none, text or hex (default: ${DEFAULT-VALUE})")
  String payload = "";

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "text",
      description = "how lines are written: text, or json for one object per line")
  String format = "";

  @Option(
      names = "--tenant",
      paramLabel = "TENANT",
      description = "trace only this tenant (default: all tenants)")
  @Nullable String tenant;

  /**
   * Returns the body of the request that creates the trace.
   *
   * @throws UsageException if the options are invalid
   */
  ObjectNode toRequest(Instant now) {
    int targets = (client == null ? 0 : 1) + (topic == null ? 0 : 1) + (address == null ? 0 : 1);
    if (targets != 1) {
      throw new UsageException("exactly one of --client, --topic and --ip is required");
    }
    String encoding =
        switch (payload) {
          case "none", "hidden" -> "hidden";
          case "text", "hex" -> payload;
          default ->
              throw new UsageException(
                  "--payload must be none, text or hex, not '" + payload + "'");
        };
    if (!format.equals("text") && !format.equals("json")) {
      throw new UsageException("--format must be text or json, not '" + format + "'");
    }
    Instant end = now.truncatedTo(ChronoUnit.SECONDS).plus(ExpiryOptions.parseDuration(duration));
    String type = client != null ? "clientid" : topic != null ? "topic" : "ip_address";
    ObjectNode body =
        Json.object()
            .put("name", name == null ? type.replace('_', '-') + "-" + NAME.format(now) : name)
            .put("type", type)
            .put(type, client != null ? client : topic != null ? topic : address)
            .put("payload_encode", encoding)
            .put("end_at", end.toString());
    if (format.equals("json")) {
      body.put("formatter", format);
    }
    if (tenant != null) {
      body.put("tenant", tenant);
    }
    return body;
  }
}
