package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiPath;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Parameters;

/** The clients to which rules apply. */
final class RuleOwner {
  /** How the clients are selected. */
  enum Kind {
    USER("users", "username"),
    CLIENT("clients", "clientid"),
    GROUP("groups", "group"),
    ALL("all", "");

    private final String path;
    private final String field;

    Kind(String path, String field) {
      this.path = path;
      this.field = field;
    }

    /** The path of all rules of this kind. */
    ApiPath rules() {
      return ApiPath.of("authorization", "sources", "built_in_database", "rules", path);
    }

    /** The field with the name of the owner; empty for all clients. */
    String field() {
      return field;
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT); // as on the command line
    }
  }

  @Parameters(
      index = "0",
      paramLabel = "KIND",
      description = "user, client, group, or all for all clients")
  Kind kind = Kind.ALL;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "NAME",
      description = "user name, client identifier or group; - for all clients")
  @Nullable String name;

  /** Returns the path of the rules. */
  ApiPath path() {
    String named = name == null ? "-" : name;
    if (kind == Kind.ALL) {
      if (!named.equals("-")) {
        throw new UsageException("the rules of all clients have no name; use - instead");
      }
      return kind.rules();
    }
    if (name == null) {
      throw new UsageException("the name of the " + kind + " is missing");
    }
    return ApiPath.of(
        List.of("authorization", "sources", "built_in_database", "rules", kind.path, named)
            .toArray(String[]::new));
  }

  @Override
  public String toString() {
    return kind == Kind.ALL ? "all clients" : kind + " '" + name + "'";
  }
}
