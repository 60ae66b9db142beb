package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.api.Json;
import io.fjordmq.cli.output.Column;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ObjectNode;

/** Subscriptions of clients and offline sessions. */
@Command(name = "subscriptions", description = "List, add and remove subscriptions")
final class SubscriptionsCommand {
  static final List<Column> COLUMNS =
      List.of(
          Column.text("CLIENT", "clientid"),
          Column.text("TOPIC", "topic"),
          Column.number("QOS", "qos"),
          Column.number("NL", "nl").ifWide(),
          Column.number("RAP", "rap").ifWide(),
          Column.number("RH", "rh").ifWide(),
          Column.number("ID", "subid").optional(),
          Column.flag("DURABLE", "durable"),
          Column.text("NODE", "node"));

  private static final String CLIENTS = "clients";
  private static final String TOPIC = "FILTER";
  private static final String TOPIC_FIELD = "topic";

  private final CommandContext context;

  SubscriptionsCommand(CommandContext context) {
    this.context = context;
  }

  @Command(name = "list", description = "List the subscriptions of all clients")
  int list(
      @Mixin ListOptions list,
      @Option(names = "--clientid", paramLabel = "ID", description = "exact client identifier")
          @Nullable String client,
      @Option(names = "--topic", paramLabel = "FILTER", description = "exact topic filter")
          @Nullable String topic,
      @Option(
              names = "--match-topic",
              paramLabel = "FILTER",
              description = "topic filter that matches the filter of the subscription")
          @Nullable String match,
      @Option(names = "--share-group", paramLabel = "GROUP", description = "exact share name")
          @Nullable String group,
      @Option(names = "--qos", paramLabel = "0|1|2", description = "maximum QoS")
          @Nullable Integer qos,
      @Option(
              names = "--node",
              paramLabel = "NODE",
              description = "id or name of the node that the client is connected to")
          @Nullable String node,
      @Option(names = "--tenant", paramLabel = "TENANT", description = "exact tenant")
          @Nullable String tenant) {
    ApiPath path =
        ApiPath.of("subscriptions")
            .with("clientid", client)
            .with(TOPIC_FIELD, topic)
            .with("match_topic", match)
            .with("share_group", group)
            .with("qos", qos)
            .with("node", node)
            .with("tenant", tenant);
    return context.list(Listing.paged(path, COLUMNS), list);
  }

  @Command(name = "show", description = "List the subscriptions of a client")
  int show(
      @Parameters(paramLabel = ClientsCommand.CLIENT, description = ClientsCommand.WHICH)
          String client,
      @Mixin TenantOption tenant,
      @Mixin ListOptions list) {
    return context.list(
        Listing.whole(tenant.applyTo(ApiPath.of(CLIENTS, client, "subscriptions")), COLUMNS), list);
  }

  @Command(name = "add", description = "Subscribe a client")
  int add(
      @Parameters(paramLabel = ClientsCommand.CLIENT, description = ClientsCommand.WHICH)
          String client,
      @Parameters(paramLabel = TOPIC, description = "topic filter") String topic,
      @Option(
              names = "--qos",
              paramLabel = "0|1|2",
              defaultValue = "0",
              description = "maximum QoS (default: ${DEFAULT-VALUE})")
          int qos,
      @Mixin TenantOption tenant,
      @Mixin JsonOption json) {
    ObjectNode body = Json.object().put(TOPIC_FIELD, topic).put("qos", qos);
    return context.done(
        context.api().post(tenant.applyTo(ApiPath.of(CLIENTS, client, "subscribe")), body),
        json,
        "client '" + client + "' subscribed to '" + topic + "'");
  }

  @Command(name = "del", description = "Remove a subscription of a client")
  int delete(
      @Parameters(paramLabel = ClientsCommand.CLIENT, description = ClientsCommand.WHICH)
          String client,
      @Parameters(paramLabel = TOPIC, description = "topic filter") String topic,
      @Mixin TenantOption tenant,
      @Mixin JsonOption json) {
    ObjectNode body = Json.object().put(TOPIC_FIELD, topic);
    return context.done(
        context.api().post(tenant.applyTo(ApiPath.of(CLIENTS, client, "unsubscribe")), body),
        json,
        "client '" + client + "' unsubscribed from '" + topic + "'");
  }
}
