package io.fjordmq.broker.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.broker.security.ConnectAdmission.Admitted;
import io.fjordmq.broker.security.ConnectAdmission.Challenge;
import io.fjordmq.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plugins whose jar is replaced while the node runs. */
class PluginReloadTest {
  private static final String NAME = "versioned";
  private static final long TIMEOUT_SECONDS = 20;

  /**
   * Admits every client under the name of its version, after the time that the user name gives in
   * milliseconds, and writes its life to a file.
   */
  private static final String AUTHENTICATOR =
      """
      package com.example;

      import io.fjordmq.api.plugin.*;
      import java.nio.file.*;
      import java.util.concurrent.*;

      public final class Versioned implements Authenticator {
        private Path log;

        @Override
        public void start(Settings settings) throws Exception {
          log = Path.of(settings.text("log"));
          write("start");
        }

        private void write(String event) throws Exception {
          Files.writeString(
              log, event + " VERSION\\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }

        @Override
        public CompletionStage<Authentication> authenticate(ConnectAttempt attempt) {
          Executor later =
              CompletableFuture.delayedExecutor(
                  Long.parseLong(attempt.userName()), TimeUnit.MILLISECONDS);
          return CompletableFuture.supplyAsync(
              () -> Authentication.allow("VERSION" + new Loaded().suffix()), later);
        }

        static final class Loaded {
          String suffix() {
            return "";
          }
        }

        @Override
        public void close() throws Exception {
          write("close");
        }
      }
      """;

  @TempDir private Path folder;
  private @Nullable Plugins opened;
  private @Nullable Security openedSecurity;

  private Plugins plugins() {
    return Objects.requireNonNull(opened);
  }

  private Security security() {
    return Objects.requireNonNull(openedSecurity);
  }

  @AfterEach
  void close() throws Exception {
    security().close();
    plugins().close();
  }

  private Path log() {
    return folder.resolve("events");
  }

  private String events() {
    try {
      return Files.readString(log());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void install(String services, String source) throws IOException {
    Path fresh = folder.resolve("fresh");
    PluginJar.create(fresh, NAME, services, source);
    Path target = folder.resolve("plugins");
    Files.createDirectories(target);
    Files.move(
        fresh.resolve(NAME + ".jar"),
        target.resolve(NAME + ".jar"),
        StandardCopyOption.REPLACE_EXISTING);
  }

  private void installVersion(String version) throws IOException {
    install("Authenticator=com.example.Versioned", AUTHENTICATOR.replace("VERSION", version));
  }

  private void open() throws Exception {
    SecuritySettings settings =
        TestSettings.with(
            "pluginDir",
            folder.resolve("plugins").toString(),
            "pluginThreads",
            2,
            "providerTimeout",
            Duration.ofSeconds(10));
    Plugins all =
        Plugins.open(settings, Map.of(NAME + ".log", log().toString()), SecurityObserver.NONE);
    opened = all;
    openedSecurity =
        Security.open(
            settings, all.all(), UserSource.NONE, InstantSource.system(), SecurityObserver.NONE);
  }

  private static ConnectAttempt attempt(long delayMillis) {
    return new ConnectAttempt(
        "l",
        null,
        false,
        null,
        5,
        "c",
        String.valueOf(delayMillis),
        "x".getBytes(StandardCharsets.UTF_8));
  }

  private CompletableFuture<String> user(long delayMillis) {
    return security()
        .admit(attempt(delayMillis))
        .thenApply(admission -> ((Admitted) admission).client().userName());
  }

  private static <T> T get(CompletableFuture<T> future) {
    return future.orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS).join();
  }

  private String failure() {
    return get(
        plugins()
            .reload(NAME)
            .handle(
                (status, failure) ->
                    failure == null ? "none" : String.valueOf(failure.getMessage())));
  }

  @Test
  void shouldReplaceAPluginWithoutLosingCalls() throws Exception {
    installVersion("one");
    open();
    assertThat(get(user(0))).isEqualTo("one");
    CompletableFuture<String> slow = user(1_000);
    installVersion("two");
    assertThat(get(plugins().reload(NAME)).classes()).containsExactly("com.example.Versioned");
    assertThat(events()).as("the call still runs").isEqualTo("start one\nstart two\n");
    assertThat(get(user(0))).isEqualTo("two");
    assertThat(get(slow)).as("the call ends with the version that began it").isEqualTo("one");
    Await.until("it is closed", () -> events().equals("start one\nstart two\nclose one\n"));
  }

  @Test
  void shouldAnswerEveryCallDuringManyReloads() throws Exception {
    installVersion("one");
    open();
    List<CompletableFuture<String>> users = new ArrayList<>();
    for (int reload = 0; reload < 10; reload++) {
      installVersion("v" + reload);
      CompletableFuture<PluginStatus> done = plugins().reload(NAME);
      while (!done.isDone()) {
        users.add(user(users.size() % 3));
        get(users.get(users.size() - 1));
      }
      get(done);
      assertThat(get(user(0))).isEqualTo("v" + reload);
      int closed = reload + 1;
      Await.until(
          "the previous version is closed",
          () -> events().lines().filter(line -> line.startsWith("close")).count() == closed);
    }
    assertThat(users).allSatisfy(user -> assertThat(user).isCompleted());
  }

  @Test
  void shouldKeepThePreviousVersionIfTheNewOneCannotStart() throws Exception {
    installVersion("one");
    open();
    install(
        "Authenticator=com.example.Versioned",
        AUTHENTICATOR.replace(
            "write(\"start\");", "throw new IllegalStateException(\"no luck\");"));
    assertThat(failure()).contains("cannot be started").contains("no luck");
    assertThat(get(user(0))).isEqualTo("one");

    Path jar = folder.resolve("plugins").resolve(NAME + ".jar");
    Files.delete(jar);
    Files.writeString(jar, "no jar");
    Await.until("the earlier reload has ended", () -> failure().contains("is not a jar file"));
    assertThat(get(user(0))).isEqualTo("one");
    installVersion("two");
    Await.until("the earlier reload has ended", () -> failure().equals("none"));
    assertThat(get(user(0))).isEqualTo("two");
  }

  @Test
  void shouldRejectOtherExtensions() throws Exception {
    installVersion("one");
    open();
    install(
        "Authenticator=com.example.Versioned ClientEventListener=com.example.Versioned",
        AUTHENTICATOR
            .replace("VERSION", "two")
            .replace("implements Authenticator", "implements Authenticator, ClientEventListener"));
    assertThat(failure())
        .contains(
            "the new version provides 1 ClientEventListener classes instead of 0; restart the"
                + " node");
    assertThat(get(user(0))).isEqualTo("one");
    assertThat(events()).isEqualTo("start one\nstart two\nclose two\n");
    assertThat(plugins().status().get(0).kinds()).containsExactly("Authenticator");
  }

  @Test
  void shouldNotWaitForAVersionThatHangs() throws Exception {
    installVersion("one");
    open();
    install(
        "Authenticator=com.example.Versioned",
        AUTHENTICATOR.replace("write(\"start\");", "Thread.sleep(3_600_000);"));
    assertThat(failure()).contains("did not start in time; the previous version stays in use");
    assertThat(get(user(0))).isEqualTo("one");
    assertThat(failure()).contains("an earlier reload of plugin versioned has not ended");
    assertThat(plugins().reload("other"))
        .failsWithin(Duration.ofSeconds(TIMEOUT_SECONDS))
        .withThrowableThat()
        .withMessageContaining("has not loaded");
  }

  @Test
  void shouldEndAnExchangeWithTheVersionThatBeganIt() throws Exception {
    String steps =
        """
        package com.example;

        import io.fjordmq.api.plugin.*;
        import java.util.concurrent.*;

        public final class Steps implements EnhancedAuthenticator {
          @Override
          public String method() {
            return "STEPS";
          }

          @Override
          public Exchange begin(ConnectAttempt attempt, ClientInfo current) {
            return new Exchange() {
              private int step;

              @Override
              public CompletionStage<Step> next(byte[] data) {
                return step++ == 0
                    ? new Step.Continue(new byte[0]).now()
                    : new Step.Success(
                        new Identity("t", "VERSION", null, java.util.Map.of()), new byte[0]).now();
              }
            };
          }
        }
        """;
    install("EnhancedAuthenticator=com.example.Steps", steps.replace("VERSION", "one"));
    open();
    AuthenticationExchange exchange = begin();
    assertThat(get(exchange.next(new byte[0]))).isInstanceOf(Challenge.class);
    install("EnhancedAuthenticator=com.example.Steps", steps.replace("VERSION", "two"));
    get(plugins().reload(NAME));
    assertThat(client(exchange).userName()).isEqualTo("one");
    exchange.close();
    AuthenticationExchange next = begin();
    assertThat(get(next.next(new byte[0]))).isInstanceOf(Challenge.class);
    assertThat(client(next).userName()).isEqualTo("two");
    next.close();

    install(
        "EnhancedAuthenticator=com.example.Steps",
        steps.replace("VERSION", "three").replace("STEPS", "OTHER"));
    Await.until(
        "the method is compared",
        () ->
            failure()
                .contains(
                    "the authentication methods of the new version are [OTHER] instead of"
                        + " [STEPS]"));
  }

  private AuthenticationExchange begin() {
    return Objects.requireNonNull(security().exchange("STEPS", attempt(0), null));
  }

  private static ClientInfo client(AuthenticationExchange exchange) {
    return ((Admitted) get(exchange.next(new byte[0]))).client();
  }
}
