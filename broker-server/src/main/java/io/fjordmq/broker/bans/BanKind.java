package io.fjordmq.broker.bans;

import java.util.Locale;

/** The client property that a ban matches. The names are those of EMQX. */
public enum BanKind {
  /** The client identifier. */
  CLIENTID,
  /** The user name after authentication. */
  USERNAME,
  /** One IP address. */
  PEERHOST,
  /** The IP addresses of a network, in CIDR notation. */
  PEERHOST_NET;

  /** The name of the kind for operators. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the kind with this label.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static BanKind of(String label) {
    return valueOf(label.toUpperCase(Locale.ROOT));
  }
}
