package io.fjordmq.broker.userdb;

import org.jspecify.annotations.Nullable;

/**
 * The clients to which rules apply.
 *
 * @param tenant the tenant of the clients
 * @param name the client identifier, the user name or the group; empty for all clients
 */
public record RuleOwner(Kind kind, String tenant, String name) {
  static final String PREFIX = "mqtt-rules/";

  /** The longest key of the metadata. */
  private static final int MAX_KEY_LENGTH = 255;

  /** How clients are selected; their rules are evaluated in this order. */
  public enum Kind {
    CLIENT("client", 'c'),
    USER("user", 'u'),
    GROUP("group", 'g'),
    ALL("all clients", 'a');

    private final String noun;
    private final char letter;

    Kind(String noun, char letter) {
      this.noun = noun;
      this.letter = letter;
    }

    /** The word for messages. */
    public String noun() {
      return noun;
    }

    /** The beginning of the keys of all rules of this kind. */
    String prefix() {
      return PREFIX + letter + "/";
    }
  }

  /** All clients of a tenant. */
  public static RuleOwner all(String tenant) {
    return new RuleOwner(Kind.ALL, tenant, "");
  }

  /** Returns the key of the rules; null if the names are too long to have rules. */
  @Nullable String key() {
    String key = kind.prefix() + HexNames.encode(tenant) + "/" + HexNames.encode(name);
    return key.length() > MAX_KEY_LENGTH ? null : key;
  }

  /** The text for operators, such as {@code user alice}. */
  @Override
  public String toString() {
    return kind == Kind.ALL ? kind.noun : kind.noun + " " + name;
  }
}
