package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.api.ApiReply;
import io.fjordmq.cli.api.Json;
import io.fjordmq.cli.output.Column;
import io.fjordmq.cli.output.Table;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Authentication and authorization of clients. */
@Command(name = "auth", description = "Test who may connect and what clients may do")
final class AuthCommand {
  static final List<Column> STEPS =
      List.of(
          Column.text("CHAIN", "chain"),
          Column.text("PROVIDER", "provider"),
          Column.text("RESULT", "result"),
          Column.text("MS", "millis"),
          Column.text("DETAIL", "detail").optional());

  static final List<Column> AUTHENTICATION =
      List.of(
          Column.text("ID", "id"),
          Column.text("MECHANISM", "mechanism"),
          Column.text("BACKEND", "backend"),
          Column.flag("ENABLED", "enable"),
          Column.text("STATUS", "status"),
          Column.number("CACHED", "cached_results"),
          Column.text("LISTENERS", "listeners").optional());

  static final List<Column> AUTHORIZATION =
      List.of(
          Column.text("NAME", "name"),
          Column.text("TYPE", "type"),
          Column.flag("ENABLED", "enable"),
          Column.text("STATUS", "status"),
          Column.number("CACHED", "cached_results"),
          Column.text("LISTENERS", "listeners").optional());

  private static final int DENIED = 1;

  private final CommandContext context;

  AuthCommand(CommandContext context) {
    this.context = context;
  }

  /** The options of a test. */
  static final class TestOptions {
    @Option(
        names = "--clientid",
        required = true,
        paramLabel = "ID",
        description = "client identifier")
    String clientid = "";

    @Option(names = "--username", paramLabel = "USER", description = "user name (default: none)")
    @Nullable String username;

    @Option(
        names = "--password",
        paramLabel = "PASSWORD",
        description =
            "password or token (default: none); other users of this host can see it, so prefer"
                + " --password-file")
    @Nullable String password;

    @Option(
        names = "--password-file",
        paramLabel = "FILE",
        description = "read the password from the first line of FILE, - for standard input")
    @Nullable Path passwordFile;

    @Option(
        names = "--cert",
        paramLabel = "FILE",
        description =
            "PEM file with the client's certificate, followed by its issuers up to one that the"
                + " listener trusts (default: none)")
    @Nullable Path certificate;

    @Option(
        names = "--topic",
        paramLabel = "TOPIC",
        description = "topic, or topic filter for subscribe (default: test only the login)")
    @Nullable String topic;

    @Option(
        names = "--action",
        paramLabel = "publish|subscribe",
        defaultValue = "publish",
        description = "action on the topic (default: ${DEFAULT-VALUE})")
    String action = "publish";

    @Option(
        names = "--qos",
        paramLabel = "0|1|2",
        defaultValue = "0",
        description = "QoS of the action (default: ${DEFAULT-VALUE})")
    int qos;

    @Option(names = "--retain", description = "test a retained message")
    boolean isRetained;

    @Option(
        names = "--peerhost",
        paramLabel = "ADDRESS",
        description = "IP address of the client (default: 127.0.0.1)")
    @Nullable String peerhost;

    @Option(
        names = "--listener",
        paramLabel = "NAME",
        description = "listener that the client connects to (default: tcpListener)")
    @Nullable String listener;
  }

  @Command(
      name = "test",
      description = {
        "Test a login, and optionally an action, with the providers of a node",
        "Prints the result and response time of each provider. Cached results are not used. The"
            + " exit code is 1 if the client is denied."
      })
  int test(@Mixin TestOptions test, @Mixin JsonOption json) {
    ObjectNode body = Json.object().put("clientid", test.clientid);
    put(body, "username", test.username);
    put(body, "password", password(test));
    put(body, "cert", certificate(test));
    put(body, "peerhost", test.peerhost);
    put(body, "listener", test.listener);
    if (test.topic != null) {
      String action = test.action.toLowerCase(Locale.ROOT);
      if (!action.equals("publish") && !action.equals("subscribe")) {
        throw new UsageException("--action must be publish or subscribe, not '" + action + "'");
      }
      body.put("topic", test.topic)
          .put("action", action)
          .put("qos", test.qos)
          .put("retain", test.isRetained);
    }
    ApiReply reply = context.api().post(ApiPath.of("authentication", "test"), body);
    JsonNode result = reply.json();
    PrintWriter out = context.terminal().out();
    if (json.isJson) {
      out.println(reply.text());
    } else {
      print(result, out);
    }
    return result.path("result").asString("").equals("allow") ? ExitCode.DONE : DENIED;
  }

  private static @Nullable String certificate(TestOptions test) {
    Path file = test.certificate;
    try {
      return file == null ? null : Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UsageException("--cert: cannot read " + file + ": " + e);
    }
  }

  private @Nullable String password(TestOptions test) {
    if (test.passwordFile == null) {
      return test.password;
    }
    if (test.password != null) {
      throw new UsageException("--password and --password-file cannot be combined");
    }
    PasswordSource source = new PasswordSource();
    source.file = test.passwordFile;
    return source.read(context.terminal());
  }

  private void print(JsonNode result, PrintWriter out) {
    List<JsonNode> steps = result.path("steps").valueStream().collect(Collectors.toList());
    new Table(STEPS, context.terminal().width(), out).print(steps);
    JsonNode identity = result.path("identity");
    if (!identity.isMissingNode()) {
      out.println(
          "identity: user "
              + identity.path("username").asString("-")
              + ", tenant '"
              + identity.path("tenant").asString("")
              + "'"
              + (identity.path("is_superuser").asBoolean(false) ? ", superuser" : "")
              + (identity.has("expire_at")
                  ? ", expires " + identity.path("expire_at").asString("")
                  : ""));
    }
    String reason = result.path("reason").asString("");
    out.println(
        "result: " + result.path("result").asString("") + (reason.isEmpty() ? "" : ": " + reason));
  }

  private static void put(ObjectNode body, String name, @Nullable String value) {
    if (value != null) {
      body.put(name, value);
    }
  }

  @Command(name = "list", description = "List the authentication providers of a node")
  int list(@Mixin ListOptions list) {
    return context.list(Listing.paged(ApiPath.of("authentication"), AUTHENTICATION), list);
  }

  @Command(name = "sources", description = "List the authorization providers of a node")
  int sources(@Mixin ListOptions list) {
    return context.list(Listing.paged(ApiPath.of("authorization", "sources"), AUTHORIZATION), list);
  }

  @Command(
      name = "clear-cache",
      description = {
        "Clear the provider caches of all nodes",
        "Connected clients reload their rules with their next action."
      })
  int clearCache(@Mixin JsonOption json) {
    context.api().post(ApiPath.of("authentication", "node_cache", "reset"), null);
    ApiReply reply = context.api().post(ApiPath.of("authorization", "node_cache", "reset"), null);
    return context.done(reply, json, "provider caches cleared");
  }
}
