package io.fjordmq.api.auth;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A property of a client or of its action that a {@link Template} can contain.
 *
 * @param kind the property
 * @param attribute the name of the client attribute for {@link Kind#ATTRIBUTE}, otherwise empty
 * @since 0.1.0
 */
public record Placeholder(Kind kind, String attribute) {
  private static final String ATTRIBUTES = "client_attrs.";

  /** The properties. All but the last four exist before the client has performed an action. */
  public enum Kind {
    CLIENTID,
    USERNAME,
    PASSWORD,
    PEERHOST,
    CERT_COMMON_NAME,
    CERT_SUBJECT,
    CERT_SAN_DNS,
    LISTENER,
    TENANT,
    /** Always {@code mqtt}. */
    PROTOCOL,
    ATTRIBUTE,
    ACTION,
    TOPIC,
    QOS,
    RETAIN;

    /** Whether the property belongs to an action rather than to the client. */
    public boolean ofAction() {
      return this == ACTION || this == TOPIC || this == QOS || this == RETAIN;
    }
  }

  /**
   * Returns the placeholder with the name between <code>${</code> and <code>}</code>; null if there
   * is none with this name.
   */
  public static @Nullable Placeholder named(String name) {
    if (name.startsWith(ATTRIBUTES) && name.length() > ATTRIBUTES.length()) {
      return new Placeholder(Kind.ATTRIBUTE, name.substring(ATTRIBUTES.length()));
    }
    for (Kind kind : Kind.values()) {
      if (kind != Kind.ATTRIBUTE && kind.name().toLowerCase(Locale.ROOT).equals(name)) {
        return new Placeholder(kind, "");
      }
    }
    return null;
  }

  /**
   * Returns the placeholder for the letter after {@code %}, as in EMQX 4 and in mosquitto; null if
   * there is none.
   */
  static @Nullable Placeholder lettered(char letter) {
    Kind kind =
        switch (letter) {
          case 'c' -> Kind.CLIENTID;
          case 'u' -> Kind.USERNAME;
          case 'P' -> Kind.PASSWORD;
          case 'a' -> Kind.PEERHOST;
          case 't' -> Kind.TOPIC;
          case 'r' -> Kind.PROTOCOL;
          case 'A' -> Kind.ACTION;
          case 'C' -> Kind.CERT_COMMON_NAME;
          case 'd' -> Kind.CERT_SUBJECT;
          default -> null;
        };
    return kind == null ? null : new Placeholder(kind, "");
  }

  @Override
  public String toString() {
    return "${"
        + (kind == Kind.ATTRIBUTE ? ATTRIBUTES + attribute : kind.name().toLowerCase(Locale.ROOT))
        + "}";
  }
}
