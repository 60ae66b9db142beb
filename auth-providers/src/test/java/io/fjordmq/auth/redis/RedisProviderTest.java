package io.fjordmq.auth.redis;

import static io.fjordmq.auth.Chain.provider;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.api.plugin.Action;
import io.fjordmq.auth.Chain;
import io.fjordmq.broker.providers.ProviderEntry;
import io.fjordmq.broker.security.AccessDecision;
import io.fjordmq.broker.security.ClientAccess;
import io.fjordmq.broker.security.ConnectAdmission;
import io.fjordmq.broker.security.ConnectAdmission.Admitted;
import io.fjordmq.testing.Await;
import io.fjordmq.testing.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Users and rules in a real Redis server. */
class RedisProviderTest {
  @TempDir static Path folder;
  private static RedisServer redis;

  @BeforeAll
  static void start() throws Exception {
    assumeTrue(RedisServer.isInstalled(), "redis-server is not installed; bin/test.sh installs it");
    redis = RedisServer.start(folder);
  }

  @AfterAll
  static void stop() {
    if (redis != null) {
      redis.close();
    }
  }

  @BeforeEach
  void clear() throws Exception {
    redis.run("FLUSHALL");
  }

  private static Chain chain(String... more) {
    Map<String, String> users = provider("type", "redis", "servers", redis.address());
    users.putAll(provider(more));
    return Chain.open(
        List.of(users), List.of(provider("type", "redis", "servers", redis.address())));
  }

  private static ClientAccess access(Chain chain, String clientId, String user, String password)
      throws Exception {
    ConnectAdmission admission = chain.connect(clientId, user, password);
    assertThat(admission).isInstanceOf(Admitted.class);
    return chain.security().accessOf((Admitted) admission);
  }

  private static AccessDecision publish(ClientAccess access, String topic, Qos qos) {
    return Objects.requireNonNull(
        access.mayPublish(new Topic(topic), qos, false, 0), "must be evaluated by the broker");
  }

  private static boolean subscribe(ClientAccess access, String filter) throws Exception {
    return access
        .maySubscribe(new Action.Subscribe(TopicFilter.parse(filter), Qos.AT_LEAST_ONCE))
        .get(10, TimeUnit.SECONDS)
        .allowed();
  }

  @Test
  void shouldReadTheLayoutOfEmqx4() throws Exception {
    redis.run("HSET", "mqtt_user:user1", "password", "xxx");
    redis.run("HSET", "mqtt_acl:user1", "topic", "3", "in/%c/+", "1", "out/%u", "2");
    try (Chain chain = chain()) {
      assertThat(chain.result("c1", "user1", "xxx")).isEqualTo("allow");
      assertThat(chain.result("c1", "user1", "yyy")).contains("wrong password");
      assertThat(chain.result("c1", "user1", null)).contains("wrong password");
      assertThat(chain.result("c1", "nobody", "xxx")).contains("unknown user");
      assertThat(chain.result("c1", null, null)).startsWith("NOT_AUTHORIZED");
      ClientAccess access = access(chain, "c1", "user1", "xxx");
      assertThat(publish(access, "topic", Qos.AT_MOST_ONCE).allowed()).isTrue();
      assertThat(publish(access, "out/user1", Qos.AT_MOST_ONCE).allowed()).isTrue();
      assertThat(publish(access, "in/c1/x", Qos.AT_MOST_ONCE).allowed()).isFalse();
      assertThat(subscribe(access, "in/c1/x")).isTrue();
      assertThat(subscribe(access, "in/c2/x")).isFalse();
      assertThat(access.mayReceive(new Topic("in/c1/x"))).isTrue();
      assertThat(access.mayReceive(new Topic("in/c2/x"))).isFalse();
    }
  }

  @Test
  void shouldReadTheLayoutOfEmqx5() throws Exception {
    String salt = "NaCl";
    String hash =
        HexFormat.of()
            .formatHex(
                MessageDigest.getInstance("SHA-256").digest((salt + "public").getBytes("UTF-8")));
    redis.run("HSET", "mqtt_user:u", "password_hash", hash, "salt", salt, "is_superuser", "0");
    redis.run("HSET", "mqtt_user:admin", "password_hash", hash, "salt", salt, "is_superuser", "1");
    redis.run(
        "HSET",
        "mqtt_acl:u",
        "a/#",
        "subscribe",
        "b",
        "all",
        "${clientid}/up",
        "publish",
        "q",
        "{\"action\":\"publish\",\"qos\":[1,2],\"retain\":false}");
    try (Chain chain = chain()) {
      ClientAccess access = access(chain, "c", "u", "public");
      assertThat(subscribe(access, "a/#")).isTrue();
      assertThat(subscribe(access, "b")).isTrue();
      assertThat(publish(access, "c/up", Qos.AT_MOST_ONCE).allowed()).isTrue();
      assertThat(publish(access, "d/up", Qos.AT_MOST_ONCE).allowed()).isFalse();
      assertThat(publish(access, "q", Qos.AT_MOST_ONCE).allowed()).isFalse();
      assertThat(publish(access, "q", Qos.AT_LEAST_ONCE).allowed()).isTrue();
      assertThat(access(chain, "c", "admin", "public").isUnrestricted()).isTrue();
    }
  }

  @Test
  void shouldRecognizeBcryptWithoutConfiguration() throws Exception {
    redis.run(
        "HSET",
        "mqtt_user:u",
        "password_hash",
        "$2b$10$PO/83fYkltsqzXSdcPc5wuEmvvJ.x3Y1J5wOo25BVYmBEbD1ZJmtC");
    try (Chain chain = chain("timeout", "20 s")) {
      assertThat(chain.result("c", "u", "wrong")).contains("wrong password");
    }
  }

  @Test
  void shouldNotLetNamesReachOtherKeys() throws Exception {
    redis.run("HSET", "mqtt_user:admin", "password", "p");
    redis.run("HSET", "mqtt_user:a b\r\nDEL mqtt_user:admin", "password", "odd");
    redis.run("HSET", "mqtt_acl:+", "x", "3", "%c/#", "1");
    redis.run("HSET", "mqtt_user:+", "password", "plus");
    try (Chain chain = chain()) {
      assertThat(chain.result("c", "a b\r\nDEL mqtt_user:admin", "odd")).isEqualTo("allow");
      assertThat(chain.result("c", "admin", "p")).isEqualTo("allow");
      for (String name : List.of("*", "admin\u0000", "${clientid}", "%c", "", " admin")) {
        assertThat(chain.result("admin", name, "p")).as(name).contains("unknown user");
      }
      ClientAccess access = access(chain, "#", "+", "plus");
      assertThat(subscribe(access, "x")).isTrue();
      assertThat(access.mayReceive(new Topic("x"))).isTrue();
      assertThat(access.mayReceive(new Topic("y"))).isFalse();
      assertThat(subscribe(access, "y/#")).isFalse();
      ClientAccess broker = access(chain, "$SYS", "+", "plus");
      assertThat(subscribe(broker, "$SYS/#")).isFalse();
    }
  }

  @Test
  void shouldRefuseTooManyRules() throws Exception {
    redis.run("HSET", "mqtt_user:u", "password", "p");
    List<String> command = new ArrayList<>(List.of("HSET", "mqtt_acl:u"));
    for (int i = 0; i < 1_001; i++) {
      command.add("t/" + i);
      command.add("3");
    }
    redis.run(command.toArray(String[]::new));
    try (Chain chain = chain()) {
      assertThat(chain.result("c", "u", "p"))
          .startsWith("SERVER_UNAVAILABLE")
          .contains("more than 1000 rules at the key mqtt_acl:u");
    }
  }

  @Test
  void shouldIgnoreInvalidRules() throws Exception {
    redis.run("HSET", "mqtt_user:u", "password", "p");
    redis.run(
        "HSET", "mqtt_acl:u", "good", "3", "bad", "7", "a/#/b", "3", "${what}", "3", "j", "{\"a\"");
    try (Chain chain = chain()) {
      ClientAccess access = access(chain, "c", "u", "p");
      assertThat(publish(access, "good", Qos.AT_MOST_ONCE).allowed()).isTrue();
      assertThat(publish(access, "bad", Qos.AT_MOST_ONCE).allowed()).isFalse();
      assertThat(publish(access, "j", Qos.AT_MOST_ONCE).allowed()).isFalse();
    }
  }

  @Test
  void shouldReportAnErrorOfRedis() throws Exception {
    redis.run("SET", "mqtt_user:u", "no hash");
    try (Chain chain = chain()) {
      assertThat(chain.result("c", "u", "p"))
          .startsWith("SERVER_UNAVAILABLE")
          .contains("WRONGTYPE");
    }
  }

  @Test
  void shouldCacheAnswersOnlyIfConfigured() throws Exception {
    redis.run("HSET", "mqtt_user:u", "password", "p");
    try (Chain cached = chain("cacheTime", "1 min", "negativeCacheTime", "1 min");
        Chain uncached = chain()) {
      assertThat(cached.result("c", "u", "p")).isEqualTo("allow");
      assertThat(uncached.result("c", "u", "p")).isEqualTo("allow");
      assertThat(cached.result("c", "u", "new")).contains("wrong password");
      redis.run("HSET", "mqtt_user:u", "password", "new");
      assertThat(cached.result("c", "u", "p")).isEqualTo("allow");
      assertThat(cached.result("c", "u", "new")).contains("wrong password");
      assertThat(uncached.result("c", "u", "p")).contains("wrong password");
      assertThat(uncached.result("c", "u", "new")).isEqualTo("allow");
      cached.security().providers().clearCaches(ProviderEntry.Chain.AUTHENTICATION);
      assertThat(cached.result("c", "u", "p")).contains("wrong password");
    }
  }

  @Test
  void shouldLogInWithUserAndPassword() throws Exception {
    try (RedisServer own = RedisServer.start(folder, "--requirepass", "s3cret")) {
      run(own, "s3cret", "HSET", "mqtt_user:u", "password", "p");
      List<Map<String, String>> right =
          List.of(provider("type", "redis", "servers", own.address(), "password", "s3cret"));
      List<Map<String, String>> wrong =
          List.of(provider("type", "redis", "servers", own.address(), "password", "no"));
      try (Chain good = Chain.open(right, List.of());
          Chain bad = Chain.open(wrong, List.of())) {
        assertThat(good.result("c", "u", "p")).isEqualTo("allow");
        assertThat(bad.result("c", "u", "p"))
            .startsWith("SERVER_UNAVAILABLE")
            .contains("WRONGPASS");
      }
    }
  }

  @Test
  void shouldReadTheFileWithThePasswordAgain() throws Exception {
    try (RedisServer own = RedisServer.start(folder)) {
      own.run("HSET", "mqtt_user:u", "password", "p");
      own.run("CONFIG", "SET", "requirepass", "first");
      Path file = Files.writeString(folder.resolve("redis-password"), "first\n");
      Map<String, String> users =
          provider("type", "redis", "servers", own.address(), "passwordFile", file.toString());
      users.put("breakerFailures", "0");
      try (Chain chain = Chain.open(List.of(users), List.of())) {
        assertThat(chain.result("c", "u", "p")).isEqualTo("allow");
        run(own, "first", "CONFIG", "SET", "requirepass", "second");
        run(own, "second", "CLIENT", "KILL", "TYPE", "normal");
        Files.writeString(file, "second\n");
        Await.until("a login with the new password", () -> isAllowed(chain));
      }
    }
  }

  private static boolean isAllowed(Chain chain) {
    try {
      return chain.result("c", "u", "p").equals("allow");
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** Runs a command on a server with a password. */
  private static void run(RedisServer server, String password, String... command) throws Exception {
    List<String> line = new ArrayList<>();
    line.addAll(List.of("/usr/bin/redis-cli", "-p", "" + server.port(), "-a", password));
    line.add("--no-auth-warning");
    line.addAll(List.of(command));
    RedisServer.cli(line);
  }

  @Test
  void shouldSurviveTheEndOfRedis() throws Exception {
    try (RedisServer own = RedisServer.start(folder)) {
      own.run("HSET", "mqtt_user:u", "password", "p");
      own.run("HSET", "mqtt_acl:u", "t", "3");
      List<Map<String, String>> provider =
          List.of(
              provider(
                  "type",
                  "redis",
                  "servers",
                  own.address(),
                  "timeout",
                  "10 s",
                  "breakerTime",
                  "100 ms"));
      try (Chain chain = Chain.open(provider, provider)) {
        ClientAccess connected = access(chain, "c", "u", "p");
        own.kill();
        assertThat(chain.result("c2", "u", "p")).startsWith("SERVER_UNAVAILABLE");
        assertThat(publish(connected, "t", Qos.AT_LEAST_ONCE).allowed())
            .as("connected clients notice nothing")
            .isTrue();
        List<CompletableFuture<ConnectAdmission>> storm = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
          storm.add(chain.login("s" + i, "u", "p"));
        }
        for (CompletableFuture<ConnectAdmission> one : storm) {
          assertThat(one.get(20, TimeUnit.SECONDS)).isInstanceOf(ConnectAdmission.Refused.class);
        }
        own.restart();
        own.run("HSET", "mqtt_user:u", "password", "p");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        String result = "";
        while (!result.equals("allow") && System.nanoTime() < end) {
          result = chain.result("c3", "u", "p");
        }
        assertThat(result).isEqualTo("allow");
      }
    }
  }

  @Test
  void shouldConnectBeforeTheFirstLogin() throws Exception {
    try (RedisServer own = RedisServer.start(folder)) {
      List<Map<String, String>> provider =
          List.of(provider("type", "redis", "servers", own.address()));
      try (Chain chain = Chain.open(provider, provider)) {
        // One connection for users and one for rules, besides that of the query itself.
        Await.until("the broker is connected to Redis", () -> connections(own) == 3);
        assertThat(chain.result("c", "nobody", "p")).contains("unknown user");
        assertThat(connections(own)).isEqualTo(3);
      }
    }
  }

  private static long connections(RedisServer server) {
    try {
      return server.run("CLIENT", "LIST").lines().count();
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldAdmitAThousandClientsAtOnce() throws Exception {
    redis.run("HSET", "mqtt_user:u", "password", "p");
    try (Chain chain = chain()) {
      List<CompletableFuture<ConnectAdmission>> storm = new ArrayList<>();
      for (int i = 0; i < 1_000; i++) {
        storm.add(chain.login("s" + i, "u", "p"));
      }
      for (CompletableFuture<ConnectAdmission> one : storm) {
        assertThat(one.get(20, TimeUnit.SECONDS)).isInstanceOf(Admitted.class);
      }
    }
  }

  @Test
  void shouldEndCallsThatAreOutWhenTheBrokerStops() throws Exception {
    Chain chain = chain();
    redis.run("CLIENT", "PAUSE", "3000");
    List<CompletableFuture<ConnectAdmission>> logins = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      logins.add(chain.login("s" + i, "u", "p"));
    }
    long begin = System.nanoTime();
    chain.close();
    assertThat(System.nanoTime() - begin).isLessThan(TimeUnit.SECONDS.toNanos(3));
    for (CompletableFuture<ConnectAdmission> one : logins) {
      assertThat(one.get(20, TimeUnit.SECONDS)).isInstanceOf(ConnectAdmission.Refused.class);
    }
    redis.run("CLIENT", "UNPAUSE");
  }

  @Test
  void shouldReportInvalidSettings() {
    assertThat(
            Chain.problems(
                List.of(
                    provider("type", "redis"),
                    provider("type", "redis", "servers", "a:b"),
                    provider("type", "redis", "servers", "a,b"),
                    provider("type", "redis", "servers", "a", "command", "DEL x"),
                    provider("type", "redis", "servers", "a", "command", "HMGET k:${password} x"),
                    provider("type", "redis", "servers", "a", "passwordHash", "rot13"),
                    provider("type", "redis", "servers", "a", "mode", "sentinel")),
                List.of()))
        .satisfiesExactly(
            one -> assertThat(one).contains("authentication.0.servers is required"),
            one -> assertThat(one).contains("authentication.1.servers must be HOST:PORT"),
            one -> assertThat(one).contains("authentication.2.servers must be one server"),
            one -> assertThat(one).contains("authentication.3.command must be like 'HMGET"),
            one -> assertThat(one).contains("authentication.4.command must be without"),
            one -> assertThat(one).contains("authentication.5.passwordHash must be one of plain"),
            one -> assertThat(one).contains("authentication.6.sentinelMaster is required"));
  }
}
