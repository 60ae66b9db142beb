package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiPath;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that tells traces of different tenants apart. */
final class TraceTenantOption {
  @Option(
      names = "--tenant",
      paramLabel = "TENANT",
      description = "tenant of the trace; needed if traces of several tenants have this name")
  @Nullable String tenant;

  ApiPath applyTo(ApiPath path) {
    return path.with("tenant", tenant);
  }
}
