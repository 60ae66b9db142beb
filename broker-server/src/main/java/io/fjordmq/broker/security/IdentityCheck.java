package io.fjordmq.broker.security;

import org.jspecify.annotations.Nullable;

/** Tells whether the identity of a connected client is still valid. Thread-safe; does not block. */
@FunctionalInterface
interface IdentityCheck {
  /** An identity that no provider takes back. */
  IdentityCheck ALWAYS_VALID = () -> null;

  /** What has established an identity. */
  interface Source {
    /** Returns the check of the identity. */
    IdentityCheck check();
  }

  /** Returns why the identity is no longer valid; null if it is valid. */
  @Nullable String fault();

  /**
   * Returns the check for a user of a password file that has just logged in.
   *
   * @param hash the user's hash in the file
   */
  static IdentityCheck of(WatchedFile<PasswordFile> file, String user, PasswordHash hash) {
    String text = hash.text();
    return () -> {
      // After a login with a new hash, the settled contents may still be the previous ones.
      PasswordHash settled = file.settled().users().get(user);
      PasswordHash current = file.current().users().get(user);
      if (isUnchanged(settled, text) || isUnchanged(current, text)) {
        return null;
      }
      return current == null
          ? "the user was removed from the password file"
          : "the password of the user changed";
    };
  }

  private static boolean isUnchanged(@Nullable PasswordHash hash, String text) {
    return hash != null && hash.text().equals(text);
  }

  /** Returns the check for a user of the database that has just logged in. */
  static IdentityCheck of(UserSource users, DatabaseUser loggedIn) {
    String name = loggedIn.name();
    long epoch = loggedIn.epoch();
    return () -> {
      DatabaseUser now = users.find(name);
      if (now == null) {
        return "the user was deleted";
      }
      if (!now.enabled()) {
        return "the user was disabled";
      }
      return now.epoch() == epoch ? null : "the password or the properties of the user changed";
    };
  }
}
