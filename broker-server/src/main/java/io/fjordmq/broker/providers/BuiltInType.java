package io.fjordmq.broker.providers;

import io.fjordmq.api.auth.ProviderKey;
import io.fjordmq.broker.providers.ProviderEntry.Chain;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The kinds of providers that are part of the broker. They wait for nothing but their own threads,
 * so they have neither a queue nor a cache of results.
 */
public enum BuiltInType {
  PASSWORD_FILE("passwordFile", Chain.AUTHENTICATION, ProviderKey.value("file")),
  X509("x509", Chain.AUTHENTICATION, ProviderKey.value("username")),
  ACL_FILE("aclFile", Chain.AUTHORIZATION, ProviderKey.value("file")),
  DATABASE("database", null),
  SCRAM(
      "scram",
      Chain.AUTHENTICATION,
      ProviderKey.value("mechanisms"),
      ProviderKey.value("iterations")),
  PLUGIN("plugin", null, ProviderKey.value("plugin"));

  private final String type;
  private final @Nullable Chain only;
  private final List<ProviderKey> keys;

  /**
   * @param only the only list in which it can be; null for both
   * @param own the keys besides those of all providers
   */
  BuiltInType(String type, @Nullable Chain only, ProviderKey... own) {
    this.type = type;
    this.only = only;
    this.keys =
        Stream.concat(
                Stream.of("type", "name", "enable", "listeners").map(ProviderKey::value),
                Stream.of(own))
            .toList();
  }

  /** The name in the configuration. */
  public String type() {
    return type;
  }

  /** All keys of this kind of provider. */
  List<ProviderKey> keys() {
    return keys;
  }

  boolean supports(Chain chain) {
    return only == null || only == chain;
  }

  /** Returns the kind with this name; null if it is not part of the broker. */
  public static @Nullable BuiltInType named(String type) {
    for (BuiltInType one : values()) {
      if (one.type.equals(type)) {
        return one;
      }
    }
    return null;
  }
}
