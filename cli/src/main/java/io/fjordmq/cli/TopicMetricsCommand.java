package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.api.Json;
import io.fjordmq.cli.output.Column;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ObjectNode;

/** Message counters of registered topics. */
@Command(name = "topic-metrics", description = "Count the messages of topics")
final class TopicMetricsCommand {
  static final List<Column> COLUMNS =
      List.of(
          Column.text("TOPIC", "topic"),
          count("IN", "messages.in"),
          rate("IN/S", "messages.in"),
          count("OUT", "messages.out"),
          rate("OUT/S", "messages.out"),
          count("DROPPED", "messages.dropped"),
          Column.time("SINCE", "create_time"),
          Column.time("RESET", "reset_time").optional(),
          Column.text("MISSING", "partial").optional());

  private static final ApiPath ALL = ApiPath.of("mqtt", "topic_metrics");
  private static final String TOPIC = "TOPIC";
  private static final String WHICH = "exact topic, without wildcards";

  private final CommandContext context;

  TopicMetricsCommand(CommandContext context) {
    this.context = context;
  }

  private static Column count(String header, String metric) {
    return Column.computed(
        header, topic -> topic.path("metrics").path(metric + ".count").asString("-"));
  }

  private static Column rate(String header, String metric) {
    return Column.computed(
        header,
        topic ->
            String.format(
                Locale.ROOT, "%.1f", topic.path("metrics").path(metric + ".rate").asDouble(0)));
  }

  @Command(name = "list", description = "List the registered topics with their counters")
  int list(@Mixin ListOptions list, @Mixin TopicTenantOption tenant) {
    return context.list(Listing.whole(tenant.applyTo(ALL), COLUMNS), list);
  }

  @Command(name = "show", description = "Show all counters of a registered topic")
  int show(
      @Parameters(paramLabel = TOPIC, description = WHICH) String topic,
      @Mixin TopicTenantOption tenant,
      @Mixin JsonOption json) {
    return context.show(context.api().get(tenant.applyTo(one(topic))), json);
  }

  @Command(name = "add", description = "Register a topic: count its messages from now on")
  int add(
      @Parameters(paramLabel = TOPIC, description = WHICH) String topic,
      @Mixin TopicTenantOption tenant,
      @Mixin JsonOption json) {
    ObjectNode body = Json.object().put("topic", topic);
    return context.done(
        context.api().post(tenant.applyTo(ALL), body), json, "topic '" + topic + "' registered");
  }

  @Command(name = "reset", description = "Reset the counters of a registered topic")
  int reset(
      @Parameters(paramLabel = TOPIC, description = WHICH) String topic,
      @Mixin TopicTenantOption tenant,
      @Mixin JsonOption json) {
    ObjectNode body = Json.object().put("action", "reset").put("topic", topic);
    return context.done(
        context.api().put(tenant.applyTo(ALL), body),
        json,
        "counters of topic '" + topic + "' reset");
  }

  @Command(name = "del", description = "Stop counting the messages of a topic")
  int delete(
      @Parameters(paramLabel = TOPIC, description = WHICH) String topic,
      @Mixin TopicTenantOption tenant,
      @Mixin JsonOption json) {
    return context.done(
        context.api().delete(tenant.applyTo(one(topic))),
        json,
        "topic '" + topic + "' is no longer registered");
  }

  private static ApiPath one(String topic) {
    return ApiPath.of("mqtt", "topic_metrics", topic);
  }
}
