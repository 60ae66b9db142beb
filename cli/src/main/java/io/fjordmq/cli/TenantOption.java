package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiPath;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that tells clients of different tenants apart. */
final class TenantOption {
  @Option(
      names = "--tenant",
      paramLabel = "TENANT",
      description = "tenant of the client; needed if the identifier exists in several tenants")
  @Nullable String tenant;

  ApiPath applyTo(ApiPath path) {
    return path.with("tenant", tenant);
  }
}
