package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiPath;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that chooses the tenant whose topics a command is about. */
final class TopicTenantOption {
  @Option(
      names = "--tenant",
      paramLabel = "TENANT",
      description = "tenant of the topics (default: that of the API key, or the default tenant)")
  @Nullable String tenant;

  ApiPath applyTo(ApiPath path) {
    return path.with("tenant", tenant);
  }
}
