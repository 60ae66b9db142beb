package io.fjordmq.cli;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ObjectNode;

/** Options that say where a backup is, and the form of its directory or URL. */
final class BackupTarget {
  static final String LABEL = "DIR|URL";

  private static final String SCHEME = "s3://";

  @Option(
      names = "--s3-endpoint",
      paramLabel = "URL",
      description =
          "URL of an S3-compatible service (default: AWS_ENDPOINT_URL_S3 in the environment, or"
              + " AWS)")
  private @Nullable String endpoint;

  @Option(
      names = "--s3-region",
      paramLabel = "REGION",
      description = "region of the bucket (default: that of the environment or profile)")
  private @Nullable String region;

  private static boolean isUrl(String target) {
    return target.startsWith(SCHEME);
  }

  /** Fails for URLs that would otherwise be taken for a directory. */
  private static void requireSupported(String target) {
    if (!isUrl(target) && target.matches("[A-Za-z][A-Za-z0-9+.-]+:/.*")) {
      throw new UsageException(
          "backups are in a directory or at s3://BUCKET/PREFIX, not at " + target);
    }
  }

  private void requireUsed(String target) {
    requireSupported(target);
    if (!isUrl(target) && (endpoint != null || region != null)) {
      throw new UsageException("--s3-endpoint and --s3-region are only for s3:// URLs");
    }
  }

  /** Returns a URL as it is, and a directory of this host as an absolute path. */
  static String absolute(String target) {
    requireSupported(target);
    return isUrl(target) ? target : Path.of(target).toAbsolutePath().normalize().toString();
  }

  /** Adds the options to a request. */
  ObjectNode addTo(ObjectNode request, String target) {
    requireUsed(target);
    if (endpoint != null) {
      request.put("s3_endpoint", endpoint);
    }
    if (region != null) {
      request.put("s3_region", region);
    }
    return request;
  }

  /** Returns the options as environment variables that the SDK of the broker reads. */
  Map<String, String> environment(String target) {
    requireUsed(target);
    Map<String, String> variables = new HashMap<>();
    if (endpoint != null) {
      variables.put("AWS_ENDPOINT_URL_S3", endpoint);
    }
    if (region != null) {
      variables.put("AWS_REGION", region);
    }
    return variables;
  }
}
