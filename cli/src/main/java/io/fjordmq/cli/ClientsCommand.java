package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiFailure;
import io.fjordmq.cli.api.ApiFailure.Kind;
import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.api.ApiReply;
import io.fjordmq.cli.output.Column;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Clients and offline sessions. */
@Command(name = "clients", description = "List, show and disconnect clients")
final class ClientsCommand {
  static final List<Column> COLUMNS =
      List.of(
          Column.text("CLIENT", "clientid"),
          Column.text("USER", "username").optional(),
          Column.flag("CONN", "connected"),
          Column.text("NODE", "node"),
          Column.text("ADDRESS", "ip_address"),
          Column.text("LISTENER", "listener").ifWide(),
          Column.number("PROTO", "proto_ver").ifWide(),
          Column.number("SUBS", "subscriptions_cnt"),
          Column.number("INFLIGHT", "inflight_cnt").ifWide(),
          Column.number("QUEUED", "mqueue_len"),
          Column.text("HELD-BACK-BY", "held_back_by").optional(),
          Column.time("CONNECTED-AT", "connected_at"));

  /** Messages for a client. */
  static final List<Column> MESSAGE_COLUMNS =
      List.of(
          Column.number("PACKET-ID", "packet_id").optional(),
          Column.text("AWAITS", "awaits").optional(),
          Column.text("TOPIC", "topic"),
          Column.number("QOS", "qos"),
          Column.number("BYTES", "payload_bytes"),
          Column.text("FROM", "from_clientid").ifWide(),
          Column.time("PUBLISHED-AT", "publish_at"),
          Column.time("EXPIRES-AT", "expires_at").optional(),
          Column.text("PAYLOAD", "payload").optional());

  static final String CLIENT = "CLIENT";
  static final String WHICH = "client identifier";
  private static final String CLIENTS = "clients";

  private final CommandContext context;

  ClientsCommand(CommandContext context) {
    this.context = context;
  }

  /** Which clients to list; the options have the names of the parameters of the API. */
  static final class Filter {
    @Option(names = "--clientid", paramLabel = "ID", description = "exact client identifier")
    @Nullable String clientId;

    @Option(
        names = "--like-clientid",
        paramLabel = "TEXT",
        description = "substring of the client identifier")
    @Nullable String likeClientId;

    @Option(names = "--username", paramLabel = "NAME", description = "exact user name")
    @Nullable String userName;

    @Option(
        names = "--like-username",
        paramLabel = "TEXT",
        description = "substring of the user name")
    @Nullable String likeUserName;

    @Option(
        names = "--node",
        paramLabel = "NODE",
        description = "id or name of the node that the client is connected to")
    @Nullable String node;

    @Option(names = "--ip-address", paramLabel = "ADDRESS", description = "address of the client")
    @Nullable String address;

    @Option(names = "--conn-state", paramLabel = "STATE", description = "connected or disconnected")
    @Nullable String state;

    @Option(names = "--proto-ver", paramLabel = "3|4|5", description = "protocol level")
    @Nullable Integer protocol;

    @Option(names = "--tenant", paramLabel = "TENANT", description = "exact tenant")
    @Nullable String tenant;

    private ApiPath applyTo(ApiPath path) {
      return path.with("clientid", clientId)
          .with("like_clientid", likeClientId)
          .with("username", userName)
          .with("like_username", likeUserName)
          .with("node", node)
          .with("ip_address", address)
          .with("conn_state", state)
          .with("proto_ver", protocol)
          .with("tenant", tenant);
    }
  }

  /** How to print payloads. */
  static final class PayloadOption {
    @Option(
        names = "--payload",
        paramLabel = "none|plain|base64",
        defaultValue = "none",
        description = "how to print payloads, at most 1 KiB each (default: ${DEFAULT-VALUE})")
    String encoding = "none";
  }

  @Command(name = "list", description = "List clients and offline sessions of the whole cluster")
  int list(@Mixin ListOptions list, @Mixin Filter filter) {
    return context.list(Listing.paged(filter.applyTo(ApiPath.of(CLIENTS)), COLUMNS), list);
  }

  @Command(name = "show", description = "Show a client or offline session")
  int show(
      @Parameters(paramLabel = CLIENT, description = WHICH) String client,
      @Mixin TenantOption tenant,
      @Mixin JsonOption json) {
    return context.show(context.api().get(tenant.applyTo(ApiPath.of(CLIENTS, client))), json);
  }

  @Command(
      name = "queued",
      description = {
        "List the messages waiting to be sent to a client",
        "The messages stay in the queue."
      })
  int queued(
      @Parameters(paramLabel = CLIENT, description = WHICH) String client,
      @Mixin PayloadOption payload,
      @Mixin TenantOption tenant,
      @Mixin ListOptions list) {
    return messages("mqueue_messages", client, payload, tenant, list);
  }

  @Command(name = "inflight", description = "List the messages that a client has not acknowledged")
  int inflight(
      @Parameters(paramLabel = CLIENT, description = WHICH) String client,
      @Mixin PayloadOption payload,
      @Mixin TenantOption tenant,
      @Mixin ListOptions list) {
    return messages("inflight_messages", client, payload, tenant, list);
  }

  private int messages(
      String kind, String client, PayloadOption payload, TenantOption tenant, ListOptions list) {
    ApiPath path = tenant.applyTo(ApiPath.of(CLIENTS, client, kind));
    return context.list(
        Listing.paged(path.with("payload", payload.encoding), MESSAGE_COLUMNS), list);
  }

  @Command(
      name = "kick-user",
      description = {
        "Disconnect all clients of a user and end their sessions",
        "Remove the user first, otherwise its clients connect again. The sessions end even if they"
            + " are persistent. Does not ask for confirmation."
      })
  int kickUser(
      @Parameters(paramLabel = "USER", description = "exact user name") String user,
      @Mixin TenantOption tenant,
      @Mixin JsonOption json) {
    ApiReply reply =
        context.api().delete(tenant.applyTo(ApiPath.of(CLIENTS).with("username", user)));
    String count = reply.json().path("kicked").asString("0");
    for (JsonNode problem : reply.json().path("problems")) {
      context.terminal().message(problem.asString());
    }
    context.done(reply, json, count + " clients of user '" + user + "' disconnected");
    return reply.json().path("problems").isEmpty() ? ExitCode.DONE : ExitCode.FAILED;
  }

  @Command(
      name = "kick",
      description = {
        "Disconnect clients and end their sessions",
        "The sessions end even if they are persistent: their subscriptions and queued messages are"
            + " removed. Does not ask for confirmation."
      })
  int kick(
      @Parameters(arity = "1..*", paramLabel = CLIENT, description = WHICH) List<String> clients,
      @Mixin TenantOption tenant,
      @Mixin JsonOption json) {
    int code = ExitCode.DONE;
    for (String client : clients) {
      try {
        context.done(
            context.api().delete(tenant.applyTo(ApiPath.of(CLIENTS, client))),
            json,
            "client '" + client + "' disconnected");
      } catch (ApiFailure failure) {
        if (failure.kind() == Kind.UNREACHABLE) {
          throw failure;
        }
        context.terminal().message(String.valueOf(failure.getMessage())); // continue with others
        code = ExitCode.FAILED;
      }
    }
    return code;
  }
}
