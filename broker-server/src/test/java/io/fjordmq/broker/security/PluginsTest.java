package io.fjordmq.broker.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.plugin.Action;
import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.broker.security.ConnectAdmission.Admitted;
import io.fjordmq.broker.security.ConnectAdmission.Refused;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plugins compiled by the test, against broker-api alone, and loaded from their jars. */
class PluginsTest {
  /** The example of docs/PLUGINS.md. */
  private static final String EXAMPLE =
      """
      package com.example;

      import io.fjordmq.api.plugin.*;
      import java.util.concurrent.CompletionStage;

      public final class TokenAuthenticator implements Authenticator, Authorizer {
        private String token = "";

        @Override
        public void start(Settings settings) {
          token = settings.text("token");
        }

        @Override
        public CompletionStage<Authentication> authenticate(ConnectAttempt attempt) {
          if (attempt.password() == null) {
            return Authentication.pass().now();
          }
          boolean good = token.equals(new String(attempt.password()));
          return good
              ? Authentication.allow(attempt.userName()).now()
              : Authentication.deny("wrong token").now();
        }

        @Override
        public CompletionStage<Decision> authorize(ClientInfo client, Action action) {
          boolean own =
              action instanceof Action.Publish publish
                  && publish.topic().name().startsWith(client.userName() + "/");
          return own ? Decision.ALLOW.now() : Decision.DENY.now();
        }
      }
      """;

  @TempDir private Path folder;

  private Path pluginDir() {
    return folder.resolve("plugins");
  }

  private void installPlugin(String name, String services, String source) throws IOException {
    PluginJar.create(pluginDir(), name, services, source);
  }

  private SecuritySettings settings() {
    return TestSettings.with(
        "pluginDir",
        pluginDir().toString(),
        "pluginThreads",
        1,
        "maxWaitingPluginCalls",
        1,
        "providerTimeout",
        Duration.ofSeconds(2));
  }

  private static ConnectAttempt attempt(String user, String password) {
    return new ConnectAttempt(
        "l", null, false, null, 5, "c", user, password.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void shouldLoadAndCallAPlugin() throws Exception {
    installPlugin(
        "token-auth",
        "Authenticator=com.example.TokenAuthenticator Authorizer=com.example.TokenAuthenticator",
        EXAMPLE);
    Map<String, String> values = Map.of("token-auth.token", "t0k3n");
    try (Plugins plugins = Plugins.open(settings(), values, SecurityObserver.NONE);
        Security security =
            Security.open(
                settings(),
                plugins.all(),
                UserSource.NONE,
                InstantSource.system(),
                SecurityObserver.NONE)) {
      ConnectAdmission admission =
          security.admit(attempt("alice", "t0k3n")).get(20, TimeUnit.SECONDS);
      assertThat(admission).isInstanceOf(Admitted.class);
      ClientAccess access = security.accessOf((Admitted) admission);
      assertThat(access.client().userName()).isEqualTo("alice");
      assertThat(access.isUnrestricted()).isFalse();
      assertThat(decidePublish(access, "alice/x").allowed()).isTrue();
      assertThat(decidePublish(access, "bob/x"))
          .isEqualTo(new AccessDecision(false, "plugin token-auth", DenialCause.DENIED));
      assertThat(security.admit(attempt("alice", "guess")).get(20, TimeUnit.SECONDS))
          .isInstanceOf(Refused.class);
    }
  }

  private static AccessDecision decidePublish(ClientAccess access, String topic) throws Exception {
    return access
        .mayPublishWill(new Action.Publish(new Topic(topic), Qos.AT_LEAST_ONCE, false, true))
        .get(20, TimeUnit.SECONDS);
  }

  @Test
  void shouldExposeOnlyTheApiToAPlugin() throws Exception {
    installPlugin(
        "curious",
        "ClientEventListener=com.example.Curious",
        """
        package com.example;

        public final class Curious implements io.fjordmq.api.plugin.ClientEventListener {
          @Override
          public void start(io.fjordmq.api.plugin.Settings settings) throws Exception {
            for (String name :
                new String[] {"io.fjordmq.broker.Main", "org.slf4j.Logger", "io.netty.buffer.ByteBuf"}) {
              try {
                Class.forName(name);
                throw new IllegalStateException("sees " + name);
              } catch (ClassNotFoundException e) {
                // expected
              }
            }
            if (Thread.currentThread().getContextClassLoader() != getClass().getClassLoader()) {
              throw new IllegalStateException("another context class loader");
            }
          }
        }
        """);
    Plugins.open(settings(), Map.of(), SecurityObserver.NONE).close();
  }

  @Test
  void shouldNameTheJarOfAPluginThatFailsToStart() throws IOException {
    installPlugin("token-auth", "Authenticator=com.example.TokenAuthenticator", EXAMPLE);
    assertThatThrownBy(() -> Plugins.open(settings(), Map.of(), SecurityObserver.NONE))
        .isInstanceOf(SecurityStartException.class)
        .hasMessageContaining("token-auth.jar cannot be started")
        .hasMessageContaining("plugins.token-auth.token is required but not set");
    installPlugin("token-auth", "Authenticator=com.example.Missing", EXAMPLE);
    assertThatThrownBy(() -> Plugins.open(settings(), Map.of(), SecurityObserver.NONE))
        .hasMessageContaining("token-auth.jar cannot be started")
        .hasMessageContaining("com.example.Missing");
    installPlugin("token-auth", "", EXAMPLE);
    assertThatThrownBy(() -> Plugins.open(settings(), Map.of(), SecurityObserver.NONE))
        .hasMessageContaining("token-auth.jar provides no extension");
    Map<String, String> off = Map.of("token-auth.enabled", "false");
    assertThatThrownBy(
            () -> Plugins.open(settings(), Map.of("tokenauth.token", "x"), SecurityObserver.NONE))
        .hasMessageContaining("plugins.tokenauth is configured, but there is no plugin jar");
    assertThat(countLoaded(off)).isZero();
  }

  @Test
  void shouldRejectAFileThatIsNotAJar() throws IOException {
    Files.createDirectories(pluginDir());
    Files.writeString(pluginDir().resolve("token-auth.jar"), "<html>404</html>");
    assertThatThrownBy(() -> Plugins.open(settings(), Map.of(), SecurityObserver.NONE))
        .isInstanceOf(SecurityStartException.class)
        .hasMessageContaining("token-auth.jar is not a jar file");
    assertThat(SecurityFiles.problems(settings(), Map.of())).hasSize(1);
  }

  @Test
  void shouldIgnoreOtherFilesInTheFolder() throws IOException {
    Files.createDirectories(pluginDir());
    Files.writeString(pluginDir().resolve("token-auth.jar.bak"), "old");
    assertThat(countLoaded(Map.of())).isZero();
  }

  @Test
  void shouldWarnOnceAboutAReplacedJar() throws IOException {
    installPlugin("token-auth", "Authenticator=com.example.TokenAuthenticator", EXAMPLE);
    Path jar = pluginDir().resolve("token-auth.jar");
    PluginFiles files = new PluginFiles();
    files.add(List.of(jar));
    assertThat(files.warnOfChanges()).isEmpty();
    Files.writeString(jar, "another");
    assertThat(files.warnOfChanges()).containsExactly(jar);
    assertThat(files.warnOfChanges()).isEmpty();
    Files.delete(jar);
    assertThat(files.warnOfChanges()).containsExactly(jar);
  }

  private int countLoaded(Map<String, String> values) {
    try (Plugins plugins = Plugins.open(settings(), values, SecurityObserver.NONE)) {
      return plugins.all().size();
    } catch (SecurityStartException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldContinueWithoutAPluginThatHangs() throws Exception {
    installPlugin(
        "hanging",
        "Authenticator=com.example.Hanging",
        """
        package com.example;

        import io.fjordmq.api.plugin.*;
        import java.util.concurrent.CompletionStage;

        public final class Hanging implements Authenticator {
          @Override
          public CompletionStage<Authentication> authenticate(ConnectAttempt attempt) {
            try {
              Thread.sleep(3_600_000);
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
            return Authentication.pass().now();
          }
        }
        """);
    try (Plugins plugins = Plugins.open(settings(), Map.of(), SecurityObserver.NONE);
        Security security =
            Security.open(
                settings(),
                plugins.all(),
                UserSource.NONE,
                InstantSource.system(),
                SecurityObserver.NONE)) {
      var first = security.admit(attempt("a", "x"));
      var second = security.admit(attempt("b", "x"));
      var third = security.admit(attempt("c", "x"));
      // One call runs, one waits, and the third is refused immediately.
      assertThat(third.get(20, TimeUnit.SECONDS))
          .isEqualTo(new Refused(ConnectAdmission.Refusal.SERVER_BUSY, "busy", "plugin hanging"));
      assertThat(first.get(20, TimeUnit.SECONDS))
          .isEqualTo(
              new Refused(
                  ConnectAdmission.Refusal.SERVER_UNAVAILABLE, "timed_out", "plugin hanging"));
      assertThat(second.get(20, TimeUnit.SECONDS)).isEqualTo(first.get());
    }
  }

  @Test
  void shouldCallPluginsInOrder() throws Exception {
    for (String name : new String[] {"a", "b", "c"}) {
      installPlugin(
          name,
          "Authenticator=com.example.Named",
          """
          package com.example;

          import io.fjordmq.api.plugin.*;
          import java.util.concurrent.CompletionStage;

          public final class Named implements Authenticator {
            @Override
            public CompletionStage<Authentication> authenticate(ConnectAttempt attempt) {
              return Authentication.allow("NAME").now();
            }
          }
          """
              .replace("NAME", name));
    }
    Files.createDirectories(pluginDir().resolve("d"));
    Files.move(pluginDir().resolve("c.jar"), pluginDir().resolve("d/c.jar"));
    Map<String, String> values = Map.of("d.order", "1", "b.order", "200");
    try (Plugins plugins = Plugins.open(settings(), values, SecurityObserver.NONE)) {
      assertThat(plugins.all().stream().map(Plugin::name))
          .containsExactly("plugin d", "plugin a", "plugin b");
    }
  }
}
