package io.fjordmq.perf.users;

import io.fjordmq.perf.machine.ProcessUsage;
import io.fjordmq.perf.machine.ServiceUsage;
import io.fjordmq.perf.machine.UnprivilegedDirectory;
import io.fjordmq.testing.Await;
import io.fjordmq.testing.FreePorts;
import io.fjordmq.testing.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;

/**
 * A Redis server on this host with the users and rules in the keys of EMQX 4: {@code
 * mqtt_user:NAME} with a salted SHA-256 hash, and {@code mqtt_acl:NAME} with topic filters. The
 * server keeps its data across restarts.
 */
public final class RedisUsers implements UserServer {
  private static final String SUBSCRIBE = "1";
  private static final String PUBLISH = "2";
  private static final String BOTH = "3";

  /** The commands of the broker; others in the statistics are those of this class. */
  private static final Pattern CALLS = Pattern.compile("cmdstat_(?:hmget|hgetall):calls=(\\d+)");

  private final RedisServer server;
  private final UnprivilegedDirectory folder;
  private final AtomicInteger starts = new AtomicInteger(1);

  private RedisUsers(RedisServer server, UnprivilegedDirectory folder) {
    this.server = server;
    this.folder = folder;
  }

  static RedisUsers start(Iterable<UserAccount> accounts) throws IOException, InterruptedException {
    UnprivilegedDirectory folder = UnprivilegedDirectory.make();
    RedisUsers users;
    try {
      users =
          new RedisUsers(
              RedisServer.start(folder.path(), FreePorts.one(), List.of(), folder::wrap), folder);
    } catch (IOException | InterruptedException | RuntimeException e) {
      folder.close();
      throw e;
    }
    try {
      users.server.runAll(
          () ->
              StreamSupport.stream(accounts.spliterator(), false)
                  .flatMap(account -> commands(account).stream())
                  .iterator());
      users.server.run("SAVE");
      return users;
    } catch (IOException | InterruptedException | RuntimeException e) {
      users.close();
      throw e;
    }
  }

  /** Returns the commands that add a user. */
  static List<List<String>> commands(UserAccount account) {
    List<List<String>> commands = new ArrayList<>();
    commands.add(
        List.of(
            "HSET",
            "mqtt_user:" + account.name(),
            "password",
            account.saltedHash(),
            "salt",
            account.salt()));
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
    return """
    securityConfig:
      allowAnonymous: loopback
      authentication: [{type: redis, servers: '%s', passwordHash: sha256}]
      authorization: [{type: redis, servers: '%s'}]
    """
        .formatted(server.address(), server.address());
  }

  @Override
  public Optional<ServiceUsage> usage() {
    try {
      Matcher calls = CALLS.matcher(server.run("INFO", "commandstats"));
      long sum = 0;
      while (calls.find()) {
        sum += Long.parseLong(calls.group(1));
      }
      long cpuMicros = ProcessUsage.of(server.pid()).cpuMicros();
      return Optional.of(new ServiceUsage(starts.get(), sum, OptionalLong.of(cpuMicros)));
    } catch (IOException | UncheckedIOException e) {
      return Optional.empty(); // the server is down
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  @Override
  public void kill() {
    server.kill();
  }

  @Override
  public void restart() throws IOException, InterruptedException {
    starts.incrementAndGet();
    server.restart();
    Await.until("Redis has loaded its data", this::isLoaded);
  }

  private boolean isLoaded() {
    try {
      return server.run("PING").equals("PONG");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted", e);
    }
  }

  @Override
  public void close() {
    server.close();
    folder.close();
  }
}
