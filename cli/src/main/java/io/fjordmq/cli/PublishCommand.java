package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.api.ApiReply;
import io.fjordmq.cli.api.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ObjectNode;

/** Publishes a message. */
@Command(name = "publish", description = "Publish a message")
final class PublishCommand implements Callable<Integer> {
  private final CommandContext context;

  @Parameters(index = "0", paramLabel = "TOPIC", description = "topic of the message")
  private String topic = "";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "PAYLOAD",
      description = "payload as text (default: empty)")
  private @Nullable String payload;

  @Option(
      names = "--file",
      paramLabel = "FILE",
      description = "read the payload from FILE, which may contain any bytes")
  private @Nullable Path file;

  @Option(
      names = "--qos",
      paramLabel = "0|1|2",
      defaultValue = "0",
      description = "QoS (default: ${DEFAULT-VALUE})")
  private int qos;

  @Option(names = "--retain", description = "retain the message")
  private boolean isRetained;

  @Option(names = "--content-type", paramLabel = "TYPE", description = "content type")
  private @Nullable String contentType;

  @Option(names = "--response-topic", paramLabel = "TOPIC", description = "response topic")
  private @Nullable String responseTopic;

  @Option(names = "--correlation-data", paramLabel = "TEXT", description = "correlation data")
  private @Nullable String correlationData;

  @Option(
      names = "--expiry",
      paramLabel = "SECONDS",
      description = "message expiry interval (default: none)")
  private @Nullable Long expiry;

  @Option(
      names = "--user-property",
      paramLabel = "NAME=VALUE",
      description = "user property; can be repeated")
  private Map<String, String> userProperties = new LinkedHashMap<>();

  @Mixin private final TopicTenantOption tenant = new TopicTenantOption();

  @Mixin private final JsonOption json = new JsonOption();

  PublishCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    if (payload != null && file != null) {
      throw new UsageException("PAYLOAD and --file cannot be combined");
    }
    ObjectNode body = Json.object().put("topic", topic).put("qos", qos).put("retain", isRetained);
    if (file == null) {
      body.put("payload", payload == null ? "" : payload);
    } else {
      body.put("payload", Base64.getEncoder().encodeToString(read(file)))
          .put("payload_encoding", "base64");
    }
    ObjectNode properties = properties();
    if (!properties.isEmpty()) {
      body.set("properties", properties);
    }
    ApiReply reply = context.api().post(tenant.applyTo(ApiPath.of("publish")), body);
    if (json.isJson) {
      return context.show(reply, json);
    }
    String reason = reply.json().path("message").asString("").replace('_', ' ');
    context
        .terminal()
        .line("published to '" + topic + "'" + (reason.isEmpty() ? "" : ": " + reason));
    return ExitCode.DONE;
  }

  private ObjectNode properties() {
    ObjectNode properties = Json.object();
    put(properties, "content_type", contentType);
    put(properties, "response_topic", responseTopic);
    put(properties, "correlation_data", correlationData);
    if (expiry != null) {
      properties.put("message_expiry_interval", expiry);
    }
    if (!userProperties.isEmpty()) {
      ObjectNode pairs = properties.putObject("user_properties");
      userProperties.forEach(pairs::put);
    }
    return properties;
  }

  private static void put(ObjectNode properties, String name, @Nullable String value) {
    if (value != null) {
      properties.put(name, value);
    }
  }

  private static byte[] read(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      throw new UsageException("--file: file not found: " + file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
