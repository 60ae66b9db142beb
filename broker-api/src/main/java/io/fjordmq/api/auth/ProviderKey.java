package io.fjordmq.api.auth;

/**
 * A key in the configuration of a provider.
 *
 * @param name in camel case, e.g. {@code publicKeyFile}
 * @param kind what the value is
 * @param secret whether the value must never be shown or logged
 * @since 0.1.0
 */
public record ProviderKey(String name, Kind kind, boolean secret) {
  /** What a value is. */
  public enum Kind {
    /** One value. A list of values is written with commas between them. */
    VALUE,
    /** Keys of the operator's choice with values, e.g. HTTP headers. */
    MAP
  }

  /** A key with one value. */
  public static ProviderKey value(String name) {
    return new ProviderKey(name, Kind.VALUE, false);
  }

  /** A key with a value that is never shown. */
  public static ProviderKey secret(String name) {
    return new ProviderKey(name, Kind.VALUE, true);
  }

  /** A key with nested keys. */
  public static ProviderKey map(String name) {
    return new ProviderKey(name, Kind.MAP, false);
  }
}
