package io.fjordmq.perf.users;

import io.fjordmq.perf.ConnectSettings.Credentials;
import io.fjordmq.perf.Digests;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;

/**
 * A user of a broker under load.
 *
 * @param name user name
 * @param publishes topic filters that it may publish to, in the order of evaluation
 * @param subscribes topic filters that it may subscribe to and receive, in the order of evaluation
 */
public record UserAccount(String name, List<String> publishes, List<String> subscribes) {
  public UserAccount {
    publishes = List.copyOf(publishes);
    subscribes = List.copyOf(subscribes);
  }

  /** Returns the user name and the password of a user. */
  public static Credentials credentials(String name) {
    return new Credentials(name, "secret of " + name);
  }

  String password() {
    return credentials(name).password();
  }

  String salt() {
    return "salt of " + name;
  }

  /** Returns the hexadecimal SHA-256 hash of the salt and the password. */
  String saltedHash() {
    byte[] salted = (salt() + password()).getBytes(StandardCharsets.UTF_8);
    return HexFormat.of().formatHex(Digests.hash("SHA-256", salted));
  }
}
