package io.fjordmq.perf.users;

import io.fjordmq.testing.LocalServer;
import io.fjordmq.testing.RedisServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;

/**
 * Redis with the users and rules in the keys of EMQX 4: {@code mqtt_user:NAME} with a salted
 * SHA-256 hash, and {@code mqtt_acl:NAME} with topic filters.
 */
record RedisUsers(RedisServer server) implements UserServer {
  private static final String SUBSCRIBE = "1";
  private static final String PUBLISH = "2";
  private static final String BOTH = "3";

  /** The commands of the broker; others in the statistics are those of this class. */
  private static final Pattern CALLS = Pattern.compile("cmdstat_(?:hmget|hgetall):calls=(\\d+)");

  static RedisUsers start(Path directory) throws IOException, InterruptedException {
    return new RedisUsers(RedisServer.start(directory));
  }

  @Override
  public LocalServer process() {
    return server.process();
  }

  @Override
  public void add(Iterable<UserAccount> accounts) throws IOException, InterruptedException {
    server.runAll(
        () ->
            StreamSupport.stream(accounts.spliterator(), false)
                .flatMap(account -> commands(account).stream())
                .iterator());
    server.run("SAVE");
  }

  /** Returns the commands that add a user. */
  static List<List<String>> commands(UserAccount account) {
    List<List<String>> commands = new ArrayList<>();
    String user = "mqtt_user:" + account.name();
    commands.add(List.of("HSET", user, "password", account.saltedHash(), "salt", account.salt()));
    Map<String, String> rules = new LinkedHashMap<>();
    account.publishes().forEach(filter -> rules.put(filter, PUBLISH));
    account.subscribes().forEach(filter -> rules.merge(filter, SUBSCRIBE, (one, other) -> BOTH));
    if (!rules.isEmpty()) {
      List<String> command = new ArrayList<>(List.of("HSET", "mqtt_acl:" + account.name()));
      rules.forEach((filter, access) -> command.addAll(List.of(filter, access)));
      commands.add(command);
    }
    return commands;
  }

  @Override
  public String configuration() {
    String settings = "type: redis, servers: '" + server.address() + "'";
    return UserService.providers(settings + ", passwordHash: sha256", settings);
  }

  /** Counts no commands while the server loads its data, because it then refuses them. */
  @Override
  public long calls() throws IOException, InterruptedException {
    String state = server.run("PING");
    if (!state.equals("PONG")) {
      throw new IOException("Redis is not ready: " + state);
    }
    return CALLS
        .matcher(server.run("INFO", "commandstats"))
        .results()
        .mapToLong(calls -> Long.parseLong(calls.group(1)))
        .sum();
  }
}
