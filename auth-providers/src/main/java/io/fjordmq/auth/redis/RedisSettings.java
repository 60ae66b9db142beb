package io.fjordmq.auth.redis;

import io.fjordmq.api.auth.ProviderKey;
import io.fjordmq.api.auth.ProviderSettings;
import io.fjordmq.auth.connection.PlaintextWarning;
import io.fjordmq.auth.connection.ServerAddress;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import java.io.File;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The servers and how to connect to them.
 *
 * @param servers one URI per server; for Sentinel a single URI that names all sentinels
 * @param cluster whether the servers are a Redis Cluster
 * @param tls files for TLS; null without TLS
 * @param timeout time limit for connecting and for a command
 * @param provider the settings of the provider
 */
record RedisSettings(
    List<RedisURI> servers,
    boolean cluster,
    @Nullable SslOptions tls,
    Duration timeout,
    ProviderSettings provider) {

  static final List<ProviderKey> KEYS =
      List.of(
          ProviderKey.value("servers"),
          ProviderKey.value("mode"),
          ProviderKey.value("sentinelMaster"),
          ProviderKey.value("database"),
          ProviderKey.value("username"),
          ProviderKey.secret("password"),
          ProviderKey.value("passwordFile"),
          ProviderKey.value("tls"),
          ProviderKey.value("trustFile"),
          ProviderKey.value("certFile"),
          ProviderKey.value("keyFile"),
          ProviderKey.value("verifyHost"));

  private static final int PORT = 6379;
  private static final int SENTINEL_PORT = 26_379;

  static RedisSettings of(ProviderSettings settings) {
    String mode = settings.oneOf("mode", "single", "sentinel", "cluster");
    List<String> hosts = settings.list("servers");
    if (hosts.isEmpty()) {
      settings.text("servers"); // reports that it is missing
    }
    if (mode.equals("single") && hosts.size() > 1) {
      throw settings.invalid(
          "servers", "one server unless mode is sentinel or cluster", String.join(",", hosts));
    }
    if (!mode.equals("sentinel") && settings.isSet("sentinelMaster")) {
      throw new IllegalArgumentException(settings.path() + ".sentinelMaster needs mode: sentinel");
    }
    int database = settings.number("database", 0, 0, 1_000_000);
    if (mode.equals("cluster") && database != 0) {
      throw settings.invalid("database", "0, the only database of a cluster", "" + database);
    }
    boolean tls = settings.flag("tls", false);
    Duration timeout =
        settings.duration(
            "timeout", Duration.ofSeconds(5), Duration.ofMillis(10), Duration.ofHours(1));
    List<RedisURI> uris = new ArrayList<>();
    if (mode.equals("sentinel")) {
      RedisURI uri = new RedisURI();
      uri.setSentinelMasterId(settings.text("sentinelMaster"));
      for (String host : hosts) {
        uri.getSentinels().add(server(settings, host, SENTINEL_PORT, tls, timeout));
      }
      uris.add(configure(settings, uri, tls, timeout));
    } else {
      for (String host : hosts) {
        RedisURI uri = server(settings, host, PORT, tls, timeout);
        uris.add(configure(settings, uri, tls, timeout));
      }
    }
    uris.forEach(uri -> uri.setDatabase(database));
    return new RedisSettings(
        List.copyOf(uris),
        mode.equals("cluster"),
        tls ? tlsFiles(settings) : null,
        timeout,
        settings);
  }

  /** Logs a warning if connections to another host are not encrypted. */
  void warnIfPlain() {
    if (tls == null) {
      PlaintextWarning.warnIfRemote(provider, ServerAddress.listOf(provider, PORT));
    }
  }

  private static RedisURI server(
      ProviderSettings settings, String server, int defaultPort, boolean tls, Duration timeout) {
    ServerAddress address = ServerAddress.parse(settings, server, defaultPort);
    RedisURI uri = RedisURI.create(address.host(), address.port());
    uri.setTimeout(timeout);
    setTls(settings, uri, tls);
    return uri;
  }

  private static RedisURI configure(
      ProviderSettings settings, RedisURI uri, boolean tls, Duration timeout) {
    uri.setTimeout(timeout);
    setTls(settings, uri, tls);
    String password = settings.secret("password");
    if (settings.isSet("username") && password == null) {
      throw new IllegalArgumentException(
          settings.path() + ".username needs " + settings.path() + ".password or passwordFile");
    }
    if (password != null) {
      uri.setCredentialsProvider(RedisCredentialsProvider.from(() -> credentials(settings)));
    }
    return uri;
  }

  /** Called for each new connection, so that a file with a new password is used. */
  private static RedisCredentials credentials(ProviderSettings settings) {
    String password = Objects.requireNonNullElse(settings.secret("password"), "");
    return RedisCredentials.just(
        settings.isSet("username") ? settings.text("username") : null, password.toCharArray());
  }

  private static void setTls(ProviderSettings settings, RedisURI uri, boolean tls) {
    uri.setSsl(tls);
    uri.setVerifyPeer(settings.flag("verifyHost", true) ? SslVerifyMode.FULL : SslVerifyMode.CA);
  }

  private static SslOptions tlsFiles(ProviderSettings settings) {
    SslOptions.Builder tls = SslOptions.builder().jdkSslProvider();
    if (settings.isSet("trustFile")) {
      settings.file("trustFile", 1 << 20);
      tls.trustManager(new File(settings.text("trustFile")));
    }
    if (settings.isSet("certFile") || settings.isSet("keyFile")) {
      settings.file("certFile", 1 << 20);
      settings.file("keyFile", 1 << 20);
      tls.keyManager(
          new File(settings.text("certFile")), new File(settings.text("keyFile")), new char[0]);
    }
    return tls.build();
  }
}
