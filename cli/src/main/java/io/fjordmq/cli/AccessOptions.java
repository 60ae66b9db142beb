package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiAccess;
import io.fjordmq.cli.api.LocalNode;
import io.fjordmq.cli.api.Trust;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The options that choose a node and the credentials. Every command accepts them. */
final class AccessOptions {
  static final String URL_VARIABLE = "FJORDMQ_API_URL";
  static final String KEY_VARIABLE = "FJORDMQ_API_KEY";
  static final String SECRET_VARIABLE = "FJORDMQ_API_SECRET";
  private static final String CREDENTIALS =
      "set --api-key KEY:SECRET, or FJORDMQ_API_KEY and FJORDMQ_API_SECRET";

  @Option(
      names = "-c",
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      description = "configuration file of a node on this host")
  @Nullable Path configuration;

  @Option(
      names = "-d",
      paramLabel = "DIR",
      scope = ScopeType.INHERIT,
      description = "directory that contains the data directory of a node on this host")
  @Nullable Path directory;

  @Option(
      names = "--url",
      paramLabel = "URL",
      scope = ScopeType.INHERIT,
      description = "URL of the HTTP port of any node")
  @Nullable String url;

  @Option(
      names = "--api-key",
      paramLabel = "KEY:SECRET",
      scope = ScopeType.INHERIT,
      description = "API key and secret, or user name and password")
  @Nullable String apiKey;

  @Option(
      names = "--cacert",
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      description = "certificate authorities to trust, in PEM format")
  @Nullable Path authorities;

  /**
   * Returns the node and the credentials.
   *
   * @throws UsageException if the options contradict each other or are incomplete
   * @throws io.fjordmq.cli.api.ApiFailure if the node on this host is not running
   */
  ApiAccess resolve(CommandEnvironment host) {
    boolean isLocal = configuration != null || directory != null;
    if (isLocal && url != null) {
      throw new UsageException("-c and -d choose a node on this host; omit them with --url");
    }
    Map<String, String> environment = host.environment();
    String remote = isLocal || url != null ? url : environment.get(URL_VARIABLE);
    return remote == null || remote.isEmpty() ? local(host) : remote(remote, environment);
  }

  /** Whether the options choose a node on this host. */
  boolean isLocal(CommandEnvironment host) {
    boolean isChosen = configuration != null || directory != null;
    return isChosen || (url == null && host.environment().getOrDefault(URL_VARIABLE, "").isEmpty());
  }

  private ApiAccess local(CommandEnvironment host) {
    if (host.dataDirectory() == null) {
      throw new UsageException("no data directory; run bin/fjordmq, or set --url");
    }
    ApiAccess access = new LocalNode(host.dataDirectory(), startCommand()).access();
    return new ApiAccess(
        access.url(),
        apiKey == null ? access.authorization() : basic(apiKey),
        authorities == null ? access.tls() : trust(authorities),
        access.unreachableAdvice(),
        apiKey == null ? access.credentialsAdvice() : CREDENTIALS);
  }

  /** The command that starts the node that the options choose. */
  private String startCommand() {
    return "bin/standalone.sh start"
        + (configuration == null ? "" : " -c " + quoted(configuration))
        + (directory == null ? "" : " -d " + quoted(directory));
  }

  /** Returns the path as a word of the shell. */
  private static String quoted(Path path) {
    String text = path.toString();
    return text.matches("[A-Za-z0-9._/+-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
  }

  private ApiAccess remote(String remote, Map<String, String> environment) {
    String checked;
    try {
      checked = ApiAccess.checkUrl(remote);
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
    return new ApiAccess(
        checked,
        apiKey == null ? authorization(environment) : basic(apiKey),
        authorities == null ? null : trust(authorities),
        "check the URL, and that the node is running and reachable from this host",
        CREDENTIALS);
  }

  private static String authorization(Map<String, String> environment) {
    String key = environment.getOrDefault(KEY_VARIABLE, "");
    String secret = environment.getOrDefault(SECRET_VARIABLE, "");
    if (key.isEmpty()) {
      throw new UsageException("credentials missing; " + CREDENTIALS);
    }
    if (secret.isEmpty()) {
      throw new UsageException(SECRET_VARIABLE + " is not set; " + CREDENTIALS);
    }
    return ApiAccess.basic(key, secret);
  }

  private static String basic(String keyAndSecret) {
    int colon = keyAndSecret.indexOf(':');
    if (colon < 1) {
      throw new UsageException("--api-key must be KEY:SECRET");
    }
    return ApiAccess.basic(keyAndSecret.substring(0, colon), keyAndSecret.substring(colon + 1));
  }

  private static SSLContext trust(Path file) {
    try {
      return Trust.authorities(file);
    } catch (IOException e) {
      throw new UsageException("--cacert: " + e.getMessage());
    }
  }
}
