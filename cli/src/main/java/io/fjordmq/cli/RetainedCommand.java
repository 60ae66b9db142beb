package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.api.ApiReply;
import io.fjordmq.cli.output.Column;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ObjectNode;

/** Retained messages. */
@Command(name = "retained", description = "List, show and delete retained messages")
final class RetainedCommand {
  static final List<Column> COLUMNS =
      List.of(
          Column.text("TOPIC", "topic"),
          Column.number("QOS", "qos"),
          Column.number("BYTES", "payload_bytes"),
          Column.text("CLIENT", "from_clientid"),
          Column.time("PUBLISHED-AT", "publish_at"),
          Column.time("EXPIRES-AT", "expires_at").optional());

  private static final String TOPIC = "TOPIC";
  private static final ApiPath ALL = ApiPath.of("mqtt", "retainer", "messages");

  private final CommandContext context;

  RetainedCommand(CommandContext context) {
    this.context = context;
  }

  @Command(name = "list", description = "List retained messages")
  int list(
      @Mixin ListOptions list,
      @Option(
              names = "--topic",
              paramLabel = "FILTER",
              description = "topic filter that the topics match (default: #)")
          @Nullable String topic,
      @Mixin TopicTenantOption tenant) {
    return context.list(Listing.paged(tenant.applyTo(ALL.with("topic", topic)), COLUMNS), list);
  }

  @Command(
      name = "show",
      description = {
        "Show a retained message with its payload",
        "The payload is shown as text or, if it is not text in UTF-8, as payload_base64. With"
            + " --json, it is always in Base64."
      })
  int show(
      @Parameters(paramLabel = TOPIC, description = "exact topic") String topic,
      @Mixin TopicTenantOption tenant,
      @Mixin JsonOption json) {
    ApiReply reply = context.api().get(tenant.applyTo(message(topic)));
    return context.show(json.isJson ? reply : withReadablePayload(reply), json);
  }

  private static ApiReply withReadablePayload(ApiReply reply) {
    if (!(reply.json() instanceof ObjectNode message) || !message.path("payload").isString()) {
      return reply;
    }
    String base64 = message.path("payload").asString();
    ObjectNode shown = message.deepCopy();
    try {
      ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(base64));
      shown.put("payload", StandardCharsets.UTF_8.newDecoder().decode(bytes).toString());
    } catch (CharacterCodingException | IllegalArgumentException e) {
      shown.remove("payload");
      shown.put("payload_base64", base64);
    }
    return new ApiReply(reply.status(), reply.text(), shown);
  }

  @Command(
      name = "delete",
      description = {"Delete retained messages", "Subscribers are not notified."})
  int delete(
      @Parameters(
              paramLabel = TOPIC,
              description = "exact topic, or a topic filter for all messages that match it")
          String topic,
      @Mixin TopicTenantOption tenant,
      @Mixin YesOption yes,
      @Mixin JsonOption json) {
    boolean isFilter = topic.contains("+") || topic.contains("#"); // which topics cannot contain
    String what =
        (isFilter ? "all retained messages that match '" : "the retained message of '")
            + topic
            + "'";
    if (!context.confirm(yes, "Delete " + what + "?")) {
      return ExitCode.FAILED;
    }
    ApiPath path = isFilter ? ALL.with("topic", topic) : message(topic);
    return context.done(context.api().delete(tenant.applyTo(path)), json, "deleted " + what);
  }

  private static ApiPath message(String topic) {
    return ApiPath.of("mqtt", "retainer", "message", topic);
  }
}
